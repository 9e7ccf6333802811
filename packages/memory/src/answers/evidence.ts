import type { AnswerEvidence } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import { readFact } from '../store/facts.ts';
import { COUPLING } from '../signals/weights.ts';
import type { CheckPlan } from '../verification/plan-checks.ts';
import type { FileView } from './file-view.ts';

/** Files whose lists of tests are said to be cut, one by one. */
const MOST_CUT = 3;

/**
 * @param views the files the answer is about
 * @param checks what the project says of checking them
 */
export function evidenceOf(
  memory: Memory,
  views: readonly FileView[],
  checks: CheckPlan,
  hasTask: boolean,
): AnswerEvidence {
  const { isIndexed } = memory;
  const some = (holds: (view: FileView) => boolean) => views.some(holds);
  const sources = [
    ...(some((view) => view.history !== undefined) ? ['git-history'] : []),
    ...(some((view) => view.links.length > 0) ? ['repo-structure'] : []),
    ...(some((view) => view.suggestedTests.length > 0) ? ['test-inference'] : []),
    ...(views.length > 0 && checks.full.length > 0 ? ['repo-config'] : []),
    ...(memory.changes.length > 0 ? ['working-tree'] : []),
    ...(hasTask ? ['task-scope'] : []),
  ];
  const renamed = views.flatMap(({ path, formerly, isGone, history }) => {
    if (formerly !== undefined) return [`${formerly} is called ${path} now: this is about ${path}`];
    return isGone && history !== undefined && history.path !== path
      ? [`${path} was called ${history.path} at last: its history is of the same file`]
      : [];
  });
  const gone = views.flatMap(({ path, isGone }) => (isGone ? [`${path} is not in this work tree`] : []));
  const unread = isIndexed ? views.filter((view) => view.unread !== undefined) : [];
  const [first] = unread;
  const cut = views.filter((view) => view.hasMoreTests);
  return {
    sources,
    notes: [
      ...generalNotes(memory),
      ...renamed,
      ...gone,
      ...(first === undefined
        ? []
        : [
            unread.length === 1
              ? `${first.path}: ${first.unread}`
              : `of ${unread.length} files a part of the history was not read`,
          ]),
      ...(cut.length > MOST_CUT
        ? [`of ${cut.length} files only the first tests are named: each has more`]
        : cut.map(
            ({ path, suggestedTests: { length } }) =>
              `only the first ${length} tests of ${path} are named: it has more`,
          )),
      `commits that change more than ${COUPLING.widest} files are left out of what changes together`,
    ],
  };
}

/** Of an answer that is about no file in particular. */
export function indexEvidence(memory: Memory, sources: readonly string[]): AnswerEvidence {
  return { sources: memory.isIndexed ? sources : [], notes: generalNotes(memory) };
}

function generalNotes({ database, isIndexed, unread }: Memory): readonly string[] {
  return [
    ...(isIndexed ? [] : ['there is no index: nothing is known of the history. pal repo index makes it']),
    ...(isIndexed && (unread === 'all' || unread.size > 0)
      ? ['commits that lead to HEAD are not in the index: what they changed is not counted']
      : []),
    ...(database.loss === undefined ? [] : [database.loss]),
    ...((readFact(database, 'shallow') ?? '') === ''
      ? []
      : ['the clone is shallow: older history is not known']),
    ...(readFact(database, 'partial') === '1'
      ? ['the clone is partial: what was renamed and changed at once counts as another file']
      : []),
  ];
}
