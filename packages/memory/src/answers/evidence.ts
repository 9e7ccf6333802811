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
  const some = (holds: (view: FileView) => boolean) => views.some(holds);
  const sources = [
    ...(some((view) => view.history !== undefined) ? ['git-history'] : []),
    ...(some((view) => view.links.length > 0) ? ['repo-structure'] : []),
    ...(some((view) => view.suggestedTests.length > 0) ? ['test-inference'] : []),
    ...(views.length > 0 && checks.full.length > 0 ? ['repo-config'] : []),
    ...(memory.changes.length > 0 ? ['working-tree'] : []),
    ...(hasTask ? ['task-scope'] : []),
  ];
  const renamed = views.flatMap(({ path, history }) =>
    history !== undefined && history.path !== path
      ? [`${path} is called ${history.path} now: its history is of the same file`]
      : [],
  );
  const gone = views.flatMap(({ path, history, isOnDisk }) =>
    history !== undefined && !isOnDisk && history.path === path ? [`${path} is not in this work tree`] : [],
  );
  const cut = views.filter((view) => view.hasMoreTests);
  return {
    sources,
    notes: [
      ...generalNotes(memory),
      ...renamed,
      ...gone,
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

function generalNotes({ database, isIndexed }: Memory): readonly string[] {
  return [
    ...(isIndexed ? [] : ['there is no index: nothing is known of the history. pal repo index makes it']),
    ...(database.loss === undefined ? [] : [database.loss]),
    ...((readFact(database, 'shallow') ?? '') === ''
      ? []
      : ['the clone is shallow: older history is not known']),
    ...(readFact(database, 'partial') === '1'
      ? ['the clone is partial: what was renamed and changed at once counts as another file']
      : []),
  ];
}
