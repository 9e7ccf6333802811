import type { AnswerConfidence, Risk, StructuralLink } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import { type Boundary, boundariesOf } from '../signals/boundaries.ts';
import { type Neighbors, neighborsOf } from '../signals/co-change.ts';
import { type FileHistory, historyOf, riskOf, riskWithoutHistory, unknownRisk } from '../signals/risk.ts';
import { structuralLinks } from '../signals/structural-links.ts';
import { CONFIDENCE } from '../signals/weights.ts';
import { isRegularFile, kindOf } from '../repository/file-content.ts';
import { isNamedTest, isTestFile } from '../structure/test-file.ts';
import { UNSPOKEN } from './spoken.ts';

/** Everything that answers about one file are made of. */
export interface FileView {
  readonly path: string;
  /** The name it was asked about by, where it is another one than its own. */
  readonly formerly?: string;
  /** Whether it is not in this work tree, though it was once. */
  readonly isGone: boolean;
  /** Why the risk rests on less than its whole history: what was not read is not nothing. */
  readonly unread: string | undefined;
  readonly history: FileHistory | undefined;
  readonly risk: Risk;
  readonly neighbors: Neighbors;
  readonly links: readonly StructuralLink[];
  readonly suggestedTests: readonly string[];
  /** Whether there are more of them. */
  readonly hasMoreTests: boolean;
  /** Files that a change of it may touch, the surest first. */
  readonly blastRadius: readonly string[];
  readonly boundaries: readonly Boundary[];
  readonly confidence: AnswerConfidence;
}

const MOST_TESTS = 10;
/** Of what changes with a file, the strongest. */
const MOST_COMPANY = 10;
/** Of tests that only lie beside a file. */
const MOST_BESIDE_TESTS = 8;
/** Of tests that only change with a file. */
const MOST_COMPANY_TESTS = 3;
const WIDEST_BLAST = 20;
function isTestLink(kind: string): boolean {
  return kind === 'test-pair' || kind === 'same-dir-test' || kind.endsWith('-dependent');
}

const NO_NEIGHBORS: Neighbors = { source: [], near: [], count: 0, plumbing: [] };

/** A memory is of one moment: what several parts of an answer are made of is looked at once. */
const looked = new WeakMap<Memory, Map<string, FileView>>();

/** Never fails for a file that is not known: its risk says so (WM-022). */
export function fileView(memory: Memory, path: string): FileView {
  let views = looked.get(memory);
  if (views === undefined) looked.set(memory, (views = new Map()));
  let view = views.get(path);
  if (view === undefined) views.set(path, (view = lookAt(memory, path)));
  return view;
}

function lookAt(memory: Memory, path: string): FileView {
  const isPresent = isInTree(memory, path);
  const history = historyUnder(memory, path, isPresent);
  const unread = unreadReason(memory, path, history);
  const neighbors = history === undefined ? NO_NEIGHBORS : neighborsOf(memory, history.id, history.path);
  // What took the place of a file is no company of it.
  const links = structuralLinks(memory, path).filter((link) => link.path !== history?.path);
  // A name of several lines would be read as what to do.
  const isThere = (each: string) => !UNSPOKEN.test(each) && isRegularFile(memory.repository, each);
  const { tests: suggestedTests, hasMore: hasMoreTests } = testsAmong(path, links, neighbors, isThere);
  // To lie in the same folder is no reason by itself.
  const close = links.filter(({ kind }) => !kind.startsWith('same-dir'));
  const blastRadius = blastOf(path, neighbors, close, suggestedTests);
  return {
    path,
    isGone: !isPresent && (history !== undefined || isCommitted(memory, path)),
    unread,
    history,
    risk:
      memory.tracked.get(path)?.kind === 'submodule'
        ? unknownRisk(path, 'it is a submodule: what is in it belongs to another repository')
        : history !== undefined
          ? riskOf(history, neighbors, memory.now, unread)
          : unread !== undefined
            ? unknownRisk(path, unread)
            : isPresent
              ? riskWithoutHistory(path, close.length, suggestedTests.length)
              : unknownRisk(path, 'neither the index nor the disk knows it'),
    neighbors,
    links,
    suggestedTests,
    hasMoreTests,
    blastRadius,
    boundaries: boundariesOf(path, blastRadius),
    confidence: confidenceOf({ history, unread }, close, suggestedTests, blastRadius),
  };
}

/** Whether it is on disk, or left out of it on purpose as a sparse checkout does. */
export function isInTree({ repository, tracked, changes }: Memory, path: string): boolean {
  const kind = kindOf(repository, path);
  return kind === undefined
    ? tracked.has(path) && !changes.some((change) => change.path === path)
    : kind !== 'folder' || tracked.has(path);
}

/** The history that a name stands for. What was made under the old name of a file that is there as well is another file. */
function historyUnder(memory: Memory, path: string, isPresent: boolean): FileHistory | undefined {
  const history = historyOf(memory, path);
  if (history === undefined || history.path === path || !isPresent) return history;
  return isInTree(memory, history.path) ? undefined : history;
}

function unreadReason(memory: Memory, path: string, history: FileHistory | undefined): string | undefined {
  if (!memory.isIndexed) return 'its history was not read: there is no index yet';
  if (memory.unread === 'all' || memory.unread.has(path))
    return 'commits that changed it were not read: they are not in the index';
  return history === undefined && isCommitted(memory, path)
    ? 'its history was not read: no commit in the index changed it'
    : undefined;
}

/** Whether it is in `HEAD`, so that some commit has made it. */
function isCommitted({ tracked, changes }: Memory, path: string): boolean {
  const status = changes.find((change) => change.path === path)?.status;
  return status === undefined ? tracked.has(path) : status !== '??' && !status.startsWith('A');
}

/** What is named as a test says more than what lies in a folder of tests, where helpers lie too. */
function testsAmong(
  path: string,
  links: readonly StructuralLink[],
  { near }: Neighbors,
  isThere: (path: string) => boolean,
): { readonly tests: readonly string[]; readonly hasMore: boolean } {
  const linked = links.filter((link) => isTestLink(link.kind) && isTestFile(link.path));
  const present = (paths: readonly string[], most: number) => {
    const found: string[] = [];
    for (const each of paths) if (found.length <= most && isThere(each)) found.push(each);
    return { tests: found.slice(0, most), hasMore: found.length > most };
  };
  const among = (paths: readonly string[], most: number) => {
    const named = present(paths.filter(isNamedTest), most);
    return named.tests.length > 0 ? named : present(paths, most);
  };
  const isTest = isTestFile(path) && (isNamedTest(path) || !linked.some((link) => isNamedTest(link.path)));
  // A test of its own says more than all tests beside it, and the first one of a test is itself.
  const own = linked.filter(({ kind }) => kind !== 'same-dir-test').map((link) => link.path);
  const found = among([...(isTest ? [path] : []), ...own], MOST_TESTS);
  if (found.tests.length > 0) return found;
  const beside = among(
    linked.map((link) => link.path),
    MOST_BESIDE_TESTS,
  );
  if (beside.tests.length > 0) return beside;
  // Where a package is tested as a whole nothing leads from a test to the file, but they change together.
  const company = near.filter((each) => isTestFile(each.path));
  return among(
    company.map((each) => each.path),
    MOST_COMPANY_TESTS,
  );
}

function blastOf(
  path: string,
  neighbors: Neighbors,
  links: readonly StructuralLink[],
  tests: readonly string[],
): readonly string[] {
  const all = [
    ...neighbors.near.slice(0, MOST_COMPANY).map((each) => each.path),
    ...links.map((each) => each.path),
    ...tests,
  ];
  return [...new Set(all)].filter((each) => each !== path).slice(0, WIDEST_BLAST);
}

function confidenceOf(
  { history, unread }: Pick<FileView, 'history' | 'unread'>,
  links: readonly StructuralLink[],
  tests: readonly string[],
  blast: readonly string[],
): AnswerConfidence {
  const parts: readonly (readonly [boolean, number, string, string])[] = [
    [
      history !== undefined,
      CONFIDENCE.history,
      unread === undefined ? 'it has history' : 'a part of its history was not read',
      unread === undefined ? 'it has no history' : 'its history was not read',
    ],
    [
      links.length > 0,
      CONFIDENCE.links,
      'other files lead to it or from it',
      'nothing is known to lead to it',
    ],
    [tests.length > 0, CONFIDENCE.tests, 'tests of it are known', 'no test of it is known'],
    [
      blast.length > 0,
      CONFIDENCE.blastRadius,
      'what else it touches is known',
      'what else it touches is not known',
    ],
  ];
  const score = parts.reduce((sum, [holds, points]) => sum + (holds ? points : 0), 0);
  return {
    level: score >= CONFIDENCE.high ? 'high' : score >= CONFIDENCE.medium ? 'medium' : 'low',
    score,
    reasons: parts.map(([holds, , yes, no]) => (holds ? yes : no)),
  };
}
