import { type Git, splitNul } from './git.ts';
import { pathText } from './path-text.ts';
import type { PatchFile } from './patch-file.ts';

/** Names that a tool runs, or that change what git or a tool runs, without anybody typing them (FF-131). */
const EXECUTABLE_CONFIGURATION: readonly RegExp[] = [
  /(^|\/)\.gitattributes$/,
  /(^|\/)\.gitmodules$/,
  /(^|\/)\.gitconfig$/,
  /^\.(git)?hooks\//,
  /^\.husky\//,
  /^\.?lefthook(-local)?\.(ya?ml|toml|json)$/,
  /^\.pre-commit-config\.ya?ml$/,
  /(^|\/)\.envrc$/,
  /(^|\/)\.vscode\/(tasks|settings|launch)\.json$/,
  /(^|\/)\.devcontainer(\/|\.json$)/,
  /^\.github\/(workflows|actions)\//,
  /^\.gitlab-ci\.ya?ml$/,
  /^\.(claude|codex|cursor|gemini)\//,
  /(^|\/)\.mcp\.json$/,
  // Entry points of builds and tests: what somebody runs by habit after applying, or an install runs alone.
  /(^|\/)package\.json$/,
  /(^|\/)\.(npmrc|yarnrc|yarnrc\.yml|pnpmfile\.cjs)$/,
  /(^|\/)binding\.gyp$/,
  /(^|\/)(GNU)?makefile$/i,
  /\.mk$/,
  /(^|\/)(Justfile|\.justfile|Rakefile|Taskfile\.ya?ml|Jenkinsfile|Vagrantfile|CMakeLists\.txt|tox\.ini)$/i,
  /(^|\/)(setup|noxfile|conftest|sitecustomize)\.py$/,
  /(^|\/)(setup\.cfg|pyproject\.toml|composer\.json|pom\.xml)$/,
  /(^|\/)build\.rs$/,
  /(^|\/)\.cargo\/config(\.toml)?$/,
  /(^|\/)(build|settings|init)\.gradle(\.kts)?$/,
  /(^|\/)(gradlew|mvnw)(\.bat|\.cmd)?$/,
  /^\.circleci\//,
  /^(azure-pipelines|bitbucket-pipelines|\.travis)\.ya?ml$/,
];

/** What a reviewer must see about a product besides its lines. */
export async function productWarnings(
  git: Git,
  tree: string,
  files: readonly PatchFile[],
  executablePaths: readonly string[],
): Promise<string[]> {
  return [
    ...executableWarnings(files, executablePaths),
    ...(await caseCollisions(git, tree, files)),
    ...submoduleWarnings(files),
  ];
}

/** Sentences for paths that run by themselves once they are in somebody's checkout. */
export function executableWarnings(
  files: readonly PatchFile[],
  executablePaths: readonly string[],
): string[] {
  return files
    .filter((file) => file.status !== 'D')
    .flatMap((file) => {
      const configured = executablePaths.find(
        (path) => file.path === path || file.path.startsWith(`${path}/`),
      );
      if (configured !== undefined)
        return [`${file.path} is run by this repository's git configuration (${configured})`];
      return EXECUTABLE_CONFIGURATION.some((pattern) => pattern.test(file.path))
        ? [`${file.path} is configuration that can run programs`]
        : [];
    });
}

function submoduleWarnings(files: readonly PatchFile[]): string[] {
  return files
    .filter((file) => file.oldMode === '160000' || file.newMode === '160000')
    .map((file) => `${file.path} is a submodule and was removed or replaced`);
}

/** Names the product adds that some file systems cannot hold beside others (FF-008). */
async function caseCollisions(git: Git, tree: string, files: readonly PatchFile[]): Promise<string[]> {
  const added = files.filter((file) => file.status === 'A');
  if (added.length === 0) return [];
  const { stdout } = await git.run(['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree]);
  return collidingNames(
    splitNul(stdout).map((path) => pathText(path)),
    added.map((file) => file.path),
  ).map(([a, b]) => `${a} and ${b} differ only in case or accents and cannot exist together on some systems`);
}

/** Pairs among `all` (files and their folders) that fold to one name and of which one lies on an added path. */
export function collidingNames(all: readonly string[], added: readonly string[]): [string, string][] {
  const addedParts = new Set(added.flatMap(withFolders));
  const byFold = new Map<string, Set<string>>();
  for (const part of new Set(all.flatMap(withFolders))) {
    const fold = foldName(part);
    const group = byFold.get(fold);
    if (group === undefined) byFold.set(fold, new Set([part]));
    else group.add(part);
  }
  const pairs: [string, string][] = [];
  for (const group of byFold.values()) {
    const [first, ...others] = [...group].sort();
    if (first === undefined) continue;
    for (const other of others)
      if (addedParts.has(first) || addedParts.has(other)) pairs.push([first, other]);
  }
  return pairs;
}

/** The name as a case-folding, normalising file system compares it. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** `a/b/c` as `a`, `a/b`, `a/b/c`. */
function withFolders(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
