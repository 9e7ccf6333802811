import { foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { count } from '../output/time.ts';
import { growthBound } from '../plan-growth.ts';
import { INVALID_PLAN_EXIT, readPlan, warningRows } from '../plan-file.ts';
import type { planValidateCommand } from '../tree/run-commands.ts';
import type { Handler } from './handler.ts';

/** `pal plan validate FILE`: every problem at once, offline; exit 2 when there is one, as `run` has it (DI-261). */
export const execute: Handler<typeof planValidateCommand> = async (invocation, args) => {
  const plan = await readPlan(invocation, args.plan);
  if (plan === undefined) return INVALID_PLAN_EXIT;
  const items = plan.items.length;
  const warnings = [...plan.warnings];
  const bound = growthBound(plan);
  emit(invocation, {
    json: {
      ok: true,
      items,
      ...(bound === null ? {} : { max_items: bound }),
      issues: [],
      ...(warnings.length === 0 ? {} : { warnings }),
    },
    records: [{ path: '', message: 'ok' }],
    ids: [],
    text: () => [
      `ok       ${foreignName(args.plan)}  ${count(items, 'item')}${bound === null ? '' : `, may grow to ${bound}`}`,
      ...warningRows(warnings),
    ],
  });
  invocation.hint(`pal run ${args.plan}`);
  return 0;
};
