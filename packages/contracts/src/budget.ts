import * as z from 'zod';
import type { Usage } from './agent.ts';

/*
 * What a run or an item may use (DI-181), and what it has used. Money is counted in whole millionths of a
 * dollar, so that no sum depends on the order of its parts. Who runs a plan and who verifies its ledger count by
 * the same functions here, from the same facts: what an attempt reported when it ended, what it was allowed to
 * cost at most, and how long it ran.
 */

const MAX_USD = 1_000_000;
/** What one attempt can count for: its report is an agent's word, and no sum may overflow because of it. */
const MAX_CHARGE = 1e12;

/** An amount of US dollars in a plan. */
export const Dollars = z.number().positive().max(MAX_USD);

/** Limits of an item, over all of its attempts. */
export const ItemBudget = z.strictObject({
  cost_usd: Dollars.optional(),
  /** Input and output tokens together. */
  tokens: z.int().positive().optional(),
  /** Running time of all attempts together. */
  seconds: z
    .int()
    .positive()
    .max(365 * 86_400)
    .optional(),
  attempts: z.int().positive().optional(),
});
export type ItemBudget = z.infer<typeof ItemBudget>;

/** Limits of a run, over all attempts of all its items, failed and repeated ones too. */
export const RunBudget = ItemBudget.extend({
  /** `drain`: what runs may finish, nothing new starts; `stop`: what runs is stopped as well. */
  on_exceed: z.enum(['drain', 'stop']).optional(),
  /** What an attempt means whose cost nobody reported: `allow` goes on and says so, `refuse` starts nothing more. */
  unknown: z.enum(['allow', 'refuse']).optional(),
});
export type RunBudget = z.infer<typeof RunBudget>;

/** Limits as they are recorded: whole micro-dollars, tokens, milliseconds and attempts. */
export const BudgetFacts = z.strictObject({
  cost_micro_usd: z.int().positive().optional(),
  tokens: z.int().positive().optional(),
  run_ms: z.int().positive().optional(),
  attempts: z.int().positive().optional(),
  refuses_unknown: z.literal(true).optional(),
  stops: z.literal(true).optional(),
});
export type BudgetFacts = z.infer<typeof BudgetFacts>;

/** A limit that lets nothing more start: `needed` is what the next attempt may cost, when that is why. */
export const BudgetBreach = z.strictObject({
  meter: z.enum(['cost_micro_usd', 'tokens', 'run_ms', 'attempts', 'unknown_cost']),
  limit: z.int().nonnegative(),
  spent: z.int().nonnegative(),
  needed: z.int().positive().optional(),
});
export type BudgetBreach = z.infer<typeof BudgetBreach>;

/** What attempts used. `attempts` counts those that were started; everything else those that ended. */
export interface Spent {
  readonly cost_micro_usd: number;
  readonly tokens: number;
  readonly run_ms: number;
  readonly attempts: number;
  /** Ended attempts whose cost, or tokens, nobody knows; they count nothing above. */
  readonly unknown_cost: number;
  readonly unknown_tokens: number;
}

export const NOTHING_SPENT: Spent = {
  cost_micro_usd: 0,
  tokens: 0,
  run_ms: 0,
  attempts: 0,
  unknown_cost: 0,
  unknown_tokens: 0,
};

/** What one attempt that ended counts for; null is unknown. */
export interface Charge {
  readonly costMicroUsd: number | null;
  readonly tokens: number | null;
  readonly runMs: number;
}

/** Whole micro-dollars of an amount, at most a million dollars. */
export function microUsd(usd: number): number {
  return Math.min(Math.round(usd * 1e6), MAX_CHARGE);
}

/** An amount for people, e.g. `$0.84`; small ones keep what makes them more than nothing. */
export function dollars(microUsdAmount: number): string {
  const usd = microUsdAmount / 1e6;
  return microUsdAmount > 0 && usd < 0.01 ? `$${usd.toFixed(6).replace(/0+$/, '')}` : `$${usd.toFixed(2)}`;
}

/** What an attempt counts for: what it reported, else what it was allowed to cost at most, else unknown (FF-173). */
export function chargeOf(
  usage: Pick<Usage, 'cost_usd' | 'input_tokens' | 'output_tokens'> | undefined,
  reservedMicroUsd: number | null,
  runMs: number,
): Charge {
  const { cost_usd: cost, input_tokens: input, output_tokens: output } = usage ?? {};
  return {
    costMicroUsd: cost === undefined ? reservedMicroUsd : microUsd(cost),
    tokens:
      input === undefined && output === undefined ? null : Math.min((input ?? 0) + (output ?? 0), MAX_CHARGE),
    runMs: Math.max(0, runMs),
  };
}

export function withStart(spent: Spent): Spent {
  return { ...spent, attempts: spent.attempts + 1 };
}

export function withCharge(spent: Spent, { costMicroUsd, tokens, runMs }: Charge): Spent {
  return {
    ...spent,
    cost_micro_usd: add(spent.cost_micro_usd, costMicroUsd ?? 0),
    tokens: add(spent.tokens, tokens ?? 0),
    run_ms: add(spent.run_ms, runMs),
    unknown_cost: spent.unknown_cost + (costMicroUsd === null ? 1 : 0),
    unknown_tokens: spent.unknown_tokens + (tokens === null ? 1 : 0),
  };
}

/** Counts are the word of agents: a sum stops where it would not be exact any more. */
function add(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER);
}

/** Limits of a plan in the units they are recorded in. */
export function budgetFacts({
  cost_usd,
  tokens,
  seconds,
  attempts,
  on_exceed,
  unknown,
}: RunBudget): BudgetFacts {
  return {
    ...(cost_usd === undefined ? {} : { cost_micro_usd: Math.max(1, microUsd(cost_usd)) }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(seconds === undefined ? {} : { run_ms: seconds * 1000 }),
    ...(attempts === undefined ? {} : { attempts }),
    ...(unknown === 'refuse' ? { refuses_unknown: true } : {}),
    ...(on_exceed === 'stop' ? { stops: true } : {}),
  };
}

/**
 * The limit that keeps a further attempt from starting, or null. `reserved` is what attempts under way may still
 * cost, `next` what the further one may; both micro-dollars. With nothing under way a breach is final.
 */
export function breachOf(
  budget: BudgetFacts,
  spent: Spent,
  reserved = 0,
  next: number | null = null,
): BudgetBreach | null {
  if (budget.refuses_unknown === true && spent.unknown_cost > 0)
    return { meter: 'unknown_cost', limit: 0, spent: spent.unknown_cost };
  for (const meter of ['cost_micro_usd', 'tokens', 'run_ms', 'attempts'] as const) {
    const limit = budget[meter];
    if (limit !== undefined && spent[meter] >= limit) return { meter, limit, spent: spent[meter] };
  }
  const limit = budget.cost_micro_usd;
  if (limit === undefined) return null;
  const breach = { meter: 'cost_micro_usd' as const, limit, spent: spent.cost_micro_usd };
  if (next === null) return spent.cost_micro_usd + reserved >= limit ? breach : null;
  return spent.cost_micro_usd + reserved + next > limit
    ? { ...breach, ...(next === 0 ? {} : { needed: next }) }
    : null;
}

/** True when a breach is what the amounts in it say, of a limit in `budget` and of what was spent. */
export function isBreach(breach: BudgetBreach, budget: BudgetFacts, spent: Spent): boolean {
  if (breach.spent !== spent[breach.meter]) return false;
  if (breach.meter === 'unknown_cost') return budget.refuses_unknown === true && breach.spent > 0;
  if (budget[breach.meter] !== breach.limit) return false;
  if (breach.spent >= breach.limit) return true;
  return breach.meter === 'cost_micro_usd' && breach.spent + (breach.needed ?? 0) > breach.limit;
}

/** A breach in words, e.g. `the budget is used up: $2.10 spent of $2.00`. */
export function breachText({ meter, limit, spent, needed }: BudgetBreach): string {
  if (meter === 'unknown_cost')
    return `the budget takes no unknown costs: ${spent} attempt${spent === 1 ? '' : 's'} reported none`;
  const amount = (value: number): string =>
    meter === 'cost_micro_usd'
      ? dollars(value)
      : meter === 'run_ms'
        ? `${Math.round(value / 1000)} s`
        : `${value} ${meter}`;
  const used = `${amount(spent)} spent of ${amount(limit)}`;
  return needed === undefined || spent >= limit
    ? `the budget is used up: ${used}`
    : `the budget is used up: ${used}, and the next attempt may cost ${amount(needed)}`;
}
