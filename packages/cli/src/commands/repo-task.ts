import { clearTask, preflight, presentTask, scopeOf, startTask } from '@palisade/memory';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { bullets, staleText } from '../output/repo-text.ts';
import { moment } from '../output/time.ts';
import type * as tree from '../tree/repo-commands.ts';
import type { Handler } from './handler.ts';
import { withMemory } from './repo.ts';

/** `pal repo task-start GOAL`. */
export const start: Handler<typeof tree.repoTaskStartCommand> = (invocation, { goal }, { scope }) =>
  withMemory(
    invocation,
    async (memory) => {
      const answer = await startTask(memory, goal, scopesOf(scope), invocation.isDryRun);
      emit(invocation, {
        json: answer,
        records: [answer],
        ids: [],
        text: () => [
          `${invocation.isDryRun ? 'would start' : 'started'}  ${foreignLine(answer.goal)}`,
          ...(answer.scope_paths.length === 0
            ? ['any file may change']
            : bullets('may change', answer.scope_paths)),
        ],
      });
      return 0;
    },
    { create: !invocation.isDryRun },
  );

/** `pal repo task-show`. */
export const show: Handler<typeof tree.repoTaskShowCommand> = (invocation) =>
  withMemory(invocation, (memory) => {
    const task = presentTask(memory);
    const answer =
      task === undefined
        ? null
        : scopeOf(
            task,
            memory.changes.map(({ path }) => path),
          );
    emit(invocation, {
      json: { task: answer },
      records: answer === null ? [] : [answer],
      ids: [],
      text: () =>
        answer === null
          ? ['no task was started on this branch in the last four hours']
          : [
              `${foreignLine(answer.goal)}  since ${moment(answer.started_at, invocation.settings.times)}`,
              ...bullets('may change', answer.scope_paths),
              ...bullets('changed within', answer.in_scope_changed),
              ...bullets('changed outside', answer.out_of_scope_changed),
            ],
    });
    return 0;
  });

/** `pal repo task-clear`. */
export const clear: Handler<typeof tree.repoTaskClearCommand> = (invocation) =>
  withMemory(invocation, async (memory) => {
    const wasThere = invocation.isDryRun ? presentTask(memory) !== undefined : await clearTask(memory);
    const status = wasThere ? 'cleared' : 'none';
    emit(invocation, {
      json: { status },
      records: [{ status }],
      ids: [],
      text: () => [
        wasThere ? (invocation.isDryRun ? 'would clear the task' : 'cleared the task') : 'there was no task',
      ],
    });
    return 0;
  });

/** `pal repo preflight TASK`. */
export const prepare: Handler<typeof tree.repoPreflightCommand> = (invocation, { task }, { scope }) =>
  withMemory(invocation, (memory) => {
    const answer = preflight(memory, task, scopesOf(scope));
    emit(invocation, {
      json: answer,
      records: [answer],
      ids: answer.scope_paths,
      text: () => [
        ...staleText(answer.freshness),
        answer.summary,
        ...bullets(
          'about',
          answer.risk_summary.map(
            ({ path, level, score, verdict }) =>
              `${path}  ${level} ${score}  ${verdict.replaceAll('_', ' ')}`,
          ),
        ),
        ...bullets(
          'not known',
          answer.unreadable.map(({ path, reason }) => `${path}  ${reason}`),
        ),
        ...bullets('inspect', answer.files_to_inspect),
        ...bullets('run', answer.test_commands),
        ...bullets('changed outside', answer.task_scope?.out_of_scope_changed ?? []),
        ...bullets('tell whoever does it', answer.agent_instructions),
      ],
    });
    invocation.hint(...answer.next_actions.slice(0, 1).filter((each) => each.startsWith('pal ')));
    return 0;
  });

function scopesOf(given: readonly string[]): readonly string[] {
  return given
    .flatMap((each) => each.split(','))
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
