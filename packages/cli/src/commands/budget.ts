import { dollars, setBudget } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { count } from '../output/time.ts';
import type { budgetCommand } from '../tree/run-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

/** `pal budget RUN --cost-usd 5`. */
export const execute: Handler<typeof budgetCommand> = async (invocation, args, flags) => {
  const { costUsd, tokens, seconds, attempts } = flags;
  if (costUsd === undefined && tokens === undefined && seconds === undefined && attempts === undefined)
    throw new UsageError('no limit is named', { next: `pal budget ${args.run} --cost-usd 5` });
  const answer = await invocation.call(setBudget, {
    run: args.run,
    ...(costUsd === undefined ? {} : { cost_usd: amountOf(costUsd) }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(seconds === undefined ? {} : { seconds }),
    ...(attempts === undefined ? {} : { attempts }),
    ...invocation.rehearsed,
  });
  const { budget } = answer;
  const limits = [
    budget.cost_micro_usd === undefined ? '' : dollars(budget.cost_micro_usd),
    budget.tokens === undefined ? '' : count(budget.tokens, 'token'),
    budget.run_ms === undefined ? '' : `${budget.run_ms / 1000} s`,
    budget.attempts === undefined ? '' : count(budget.attempts, 'attempt'),
  ].filter((limit) => limit !== '');
  if (!invocation.isDryRun) await (await invocation.controlPlane()).ensureEngine();
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [answer.run_id],
    text: () => [`${outcome(invocation, 'set')}${answer.run_id}  at most ${limits.join(', ')}`],
  });
  if (!invocation.isDryRun) invocation.hint(`pal watch ${answer.run_id}`);
  return 0;
};

function amountOf(word: string): number {
  if (!/^\$?\d{1,7}(\.\d{1,6})?$/.test(word))
    throw new UsageError(`--cost-usd "${word}" is no amount`, { next: 'write it like 5 or 0.50' });
  return Number(word.replace('$', ''));
}
