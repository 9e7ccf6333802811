import type { AnswerConfidence, Risk, StructuralLink } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import { type Boundary, boundariesOf } from '../signals/boundaries.ts';
import { type Neighbors, neighborsOf } from '../signals/co-change.ts';
import { type FileHistory, historyOf, riskOf, riskWithoutHistory, unknownRisk } from '../signals/risk.ts';
import { structuralLinks } from '../signals/structural-links.ts';
import { CONFIDENCE } from '../signals/weights.ts';
import { isRegularFile } from '../repository/file-content.ts';
import { isTestFile } from '../structure/test-file.ts';

/** Everything that answers about one file are made of. */
export interface FileView {
  readonly path: string;
  readonly isOnDisk: boolean;
  readonly history: FileHistory | undefined;
  readonly risk: Risk;
  readonly neighbors: Neighbors;
  readonly links: readonly StructuralLink[];
  readonly suggestedTests: readonly string[];
  /** Files that a change of it may touch, the surest first. */
  readonly blastRadius: readonly string[];
  readonly boundaries: readonly Boundary[];
  readonly confidence: AnswerConfidence;
}

const MOST_TESTS = 10;
/** Of tests that only change with a file. */
const MOST_COMPANY_TESTS = 3;
const WIDEST_BLAST = 20;
function isTestLink(kind: string): boolean {
  return kind === 'test-pair' || kind === 'same-dir-test' || kind.endsWith('-dependent');
}

const NO_NEIGHBORS: Neighbors = { source: [], plumbing: [] };

/** Never fails for a file that is not known: its risk says so (WM-022). */
export function fileView(memory: Memory, path: string): FileView {
  const history = historyOf(memory, path);
  const isOnDisk = isRegularFile(memory.repository, path);
  const neighbors = history === undefined ? NO_NEIGHBORS : neighborsOf(memory, history.id, history.path);
  const links = structuralLinks(memory, path);
  const isThere = (each: string) => isRegularFile(memory.repository, each);
  const suggestedTests = testsAmong(path, links, neighbors, isThere);
  // To lie in the same folder is no reason by itself.
  const close = links.filter(({ kind }) => !kind.startsWith('same-dir'));
  const blastRadius = blastOf(path, neighbors, close, suggestedTests);
  return {
    path,
    isOnDisk,
    history,
    risk:
      history !== undefined
        ? riskOf(history, neighbors.source, memory.now)
        : isOnDisk
          ? riskWithoutHistory(path, close.length, suggestedTests.length)
          : unknownRisk(path),
    neighbors,
    links,
    suggestedTests,
    blastRadius,
    boundaries: boundariesOf(path, blastRadius),
    confidence: confidenceOf(history, close, suggestedTests, blastRadius),
  };
}

function testsAmong(
  path: string,
  links: readonly StructuralLink[],
  { source }: Neighbors,
  isThere: (path: string) => boolean,
): readonly string[] {
  const found = links.filter((link) => isTestLink(link.kind) && isTestFile(link.path) && isThere(link.path));
  // A test of its own says more than all tests beside it.
  const own = found.filter(({ kind }) => kind !== 'same-dir-test');
  const linked = (own.length > 0 ? own : found).map((link) => link.path);
  if (linked.length > 0) return linked.slice(0, MOST_TESTS);
  if (isTestFile(path) && isThere(path)) return [path];
  // Where a package is tested as a whole nothing leads from a test to the file, but they change together.
  return together(source)
    .map((each) => each.path)
    .filter((each) => isTestFile(each) && isThere(each))
    .slice(0, MOST_COMPANY_TESTS);
}

/** One shared commit may be chance. */
function together(source: Neighbors['source']): Neighbors['source'] {
  return source.filter(({ cochange_count: count }) => count >= 2).slice(0, 10);
}

function blastOf(
  path: string,
  neighbors: Neighbors,
  links: readonly StructuralLink[],
  tests: readonly string[],
): readonly string[] {
  const all = [
    ...together(neighbors.source).map((each) => each.path),
    ...links.map((each) => each.path),
    ...tests,
  ];
  return [...new Set(all)].filter((each) => each !== path).slice(0, WIDEST_BLAST);
}

function confidenceOf(
  history: FileHistory | undefined,
  links: readonly StructuralLink[],
  tests: readonly string[],
  blast: readonly string[],
): AnswerConfidence {
  const parts: readonly (readonly [boolean, number, string, string])[] = [
    [history !== undefined, CONFIDENCE.history, 'it has history', 'it has no history'],
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
