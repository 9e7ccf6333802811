/*
 * What a strict script (`strictScript`) guarantees, and what it cannot (FF-140).
 *
 * Guaranteed with bash: the status is non-zero when any command of a list or of a pipeline fails:
 * `test | tee log`, `test; echo done`, `(test; echo done)`, `x=$(test)`, line after line.
 * Not guaranteed, because the author's own words throw the status away: `test || true`, `test &`,
 * `! test`, `if test; …`, `set +e`, `trap 'exit 0' EXIT`. This file finds such words. A script
 * that has one never gets the verdict "passed" from its status alone. The search reads text, it
 * does not parse shell: it may find words in a string that do no harm, and it cannot see into
 * programs the script starts (`make test`, `npm test`, `sh -c …`): their status is theirs.
 */

interface Mask {
  readonly pattern: RegExp;
  readonly says: string;
}

const ALWAYS_TRUE = String.raw`(?:true|:|echo|printf|exit\s+0|return\s+0|/bin/true)`;

const MASKS: readonly Mask[] = [
  {
    pattern: new RegExp(String.raw`\|\|\s*\{?\s*${ALWAYS_TRUE}(?![\w-])`),
    says: '"||" replaces a failure by success',
  },
  { pattern: /(?<![&><|])&(?![&>])/, says: '"&" runs a command whose status is never asked for' },
  { pattern: /(?:^|[;&|({\n]|\bdo\b|\bthen\b)\s*!\s/, says: '"!" turns a failure into success' },
  { pattern: /\bset\s+\+(?:\w*e|o\s+(?:errexit|pipefail))/, says: '"set +e" lets failures pass' },
  { pattern: /\btrap\b/, says: '"trap" can replace the status' },
  { pattern: /\b(?:if|elif|while|until)\b/, says: 'a condition uses up the status of its command' },
  { pattern: /\|\|/, says: '"||" goes on after a failure' },
  { pattern: /[<>]\(/, says: 'the status of a process substitution is never asked for' },
  { pattern: /\bexit\s+0\b/, says: '"exit 0" ends with success' },
];

/**
 * The ways in which a script's own words can hide a failing command; empty when there is none.
 *
 * @param script as given to {@link strictScript}
 * @param isBash false when only a plain `sh` runs it, which also hides failures in pipelines
 */
export function maskedStatus(script: string, isBash: boolean): string[] {
  const code = withoutQuotesAndComments(script);
  const found = MASKS.filter((mask) => mask.pattern.test(code)).map((mask) => mask.says);
  if (!isBash && /(?<!\|)\|(?!\|)/.test(code))
    found.push('without bash only the last command of a pipeline counts');
  return found;
}

/** Strings keep their quotes and lose their content; `$(…)` in double quotes is kept: it runs. */
function withoutQuotesAndComments(script: string): string {
  return script
    .replace(/\\[\s\S]/g, '_')
    .replace(/'[^']*'/g, "''")
    .replace(
      /"([^"]*)"/g,
      (_all, inner: string) => `"${(inner.match(/\$\([^)]*\)|`[^`]*`/g) ?? []).join(' ')}"`,
    )
    .replace(/(^|\s)#.*$/gm, '$1');
}
