import { posix } from 'node:path';

const TEST_NAME =
  /(?:_test\.(?:go|py|rb|c|cc|cpp|exs?|dart)|_spec\.rb|\.(?:test|spec)\.(?:isolated\.)?[cm]?[jt]sx?|(?:Tests?|IT|Spec)\.(?:java|kt|cs|php|scala|swift))$|\.Tests\.ps1$|(?:^|\/)test_[^/]*\.py$|(?:^|\/)conftest\.py$/;

/** Whether a file holds tests, by its name (WM-025). */
export function isTestFile(path: string): boolean {
  return TEST_NAME.test(path) || (/(?:^|\/)tests\/[^/]+\.rs$/.test(path) && path.endsWith('.rs'));
}

/** A file's name without ending and without what marks a test: what a file and its test share. */
export function stemOf(path: string): string {
  const name = posix.basename(path);
  const dot = name.indexOf('.', 1);
  const stem = dot === -1 ? name : name.slice(0, dot);
  return (
    stem
      .replace(/^test_/, '')
      .replace(/_(?:test|spec)$/, '')
      .replace(/(?<=\w)Tests?$|(?<=[a-z0-9])(?:IT|Spec)$/, '') || stem
  );
}
