import { validatePlan } from '@palisade/contracts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { count } from '../output/time.ts';
import { parseJson, readInput } from '../read-input.ts';
import type { planValidateCommand } from '../tree/run-commands.ts';
import type { Handler } from './handler.ts';

/** `pal plan validate FILE`: every problem at once, exit 1 when there is one (DI-261). */
export const execute: Handler<typeof planValidateCommand> = async (invocation, args) => {
  const plan = parseJson(await readInput(invocation, args.plan), args.plan, 'invalid_plan');
  const answer = await invocation.call(validatePlan, { plan });
  emit(invocation, {
    json: answer,
    records: answer.ok ? [{ path: '', message: 'ok' }] : answer.issues,
    ids: answer.issues.map((issue) => issue.path),
    text: () =>
      answer.ok
        ? [`ok       ${foreignLine(args.plan)}  ${count(answer.items, 'item')}`]
        : [
            ...answer.issues.map(
              (issue) => `fail     ${foreignLine(issue.path)}: ${foreignLine(issue.message)}`,
            ),
            `${count(answer.issues.length, 'problem')} in ${foreignLine(args.plan)}`,
          ],
  });
  if (answer.ok) invocation.hint(`pal run ${args.plan}`);
  return answer.ok ? 0 : 1;
};
