import { posix } from 'node:path';

const TEST_NAME =
  /(?:_test\.(?:go|py|rb|c|cc|cpp|exs?|dart)|_spec\.rb|\.(?:test|spec)\.(?:isolated\.)?[cm]?[jt]sx?|(?:Tests?|IT|Spec)\.(?:java|kt|cs|php|scala|swift))$|\.Tests\.ps1$|(?:^|\/)test_[^/]*\.py$|(?:^|\/)tests\/[^/]+\.rs$/;
const TEST_FOLDER = /(?:^|\/)(?:tests?|specs?|__tests__)\//;
/** Within a folder of tests: what tests compare with, by whatever name. */
const RECORDED = /\/(?:_*fixtures?_*|_*snapshots?_*|test-?_?data)\//;
/** Within a folder of tests: what tests use. */
const USED =
  /\/(?:data|_*mocks?_*|helpers?|support|assets|resources)\/|(?:^|[/_.-])(?:helpers?|fixtures?)\.\w+$/;
/** Endings of programs and scripts. Not of Go, Python and Rust: there the tools that run tests find them by name. */
const RUN_BY_FOLDER =
  /\.(?:[cm]?[jt]sx?|java|kts?|scala|groovy|clj[cs]?|cs|fsx?|vb|php|rb|swift|mm?|c|cc|cpp|cxx|h|hh|hpp|hxx|d|zig|nim|cr|dart|exs?|erl|hs|mli?|jl|r|lua|p[lm]|t|tcl|exp|bats|sh|bash|zsh|fish|awk|ps1|psm1|vim|el)$/i;

/** Whether a file holds tests, by its name (WM-025), or by the folder it lies in. */
export function isTestFile(path: string): boolean {
  const folder = TEST_FOLDER.exec(path);
  if (folder === null) return TEST_NAME.test(path);
  const within = path.slice(folder.index + folder[0].length - 1);
  if (RECORDED.test(within)) return false;
  return TEST_NAME.test(path) || (RUN_BY_FOLDER.test(path) && !USED.test(within));
}

/** Whether its name says so, wherever it lies: what says more than its folder. */
export function isNamedTest(path: string): boolean {
  return TEST_NAME.test(path);
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
