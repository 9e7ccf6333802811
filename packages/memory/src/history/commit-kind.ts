/** By the mark in the address: a person may be called like a product (FF-153). */
export function isBot(email: string): boolean {
  return /\[bot\]@|^(?:[\w.+-]*[.+-])?bot@|^(?:dependabot|renovate|greenkeeper|github-actions)(?:[+.-][^@]*)?@/i.test(
    email,
  );
}

/** Whether its subject says that it mended something. */
export function isFix(subject: string): boolean {
  return /\b(?:fix(?:e[sd]|ing)?|bug(?:fix)?|hotfix|regress(?:ion|ed)|revert(?:s|ed)?|mend(?:s|ed)?|repair(?:s|ed)?)\b/i.test(
    subject,
  );
}

const PLUMBING =
  /(?:^|\/)(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.(?:lock|toml)|go\.(?:sum|mod)|go\.work(?:\.sum)?|poetry\.lock|uv\.lock|pdm\.lock|Pipfile(?:\.lock)?|pyproject\.toml|setup\.(?:py|cfg)|requirements[^/]*\.txt|composer\.(?:json|lock)|Gemfile(?:\.lock)?|[^/]+\.gemspec|packages\.lock\.json|pom\.xml|(?:CHANGE(?:S|LOG)|HISTORY|NEWS|RELEASES?|RELEASE[-_]NOTES)(?:\.(?:md|markdown|txt|rst|adoc))?|VERSION(?:\.[^/]*)?|_?version\.[^/]+)$/i;

/** Files that change with everything: lock files, manifests, versions, change logs (FF-156). */
export function isPlumbing(path: string): boolean {
  return PLUMBING.test(path);
}
