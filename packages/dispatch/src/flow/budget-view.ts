import type { BudgetFacts, RunView, Spent } from '@palisade/contracts';
import { usageView } from './usage.ts';
import type { RootRun } from '@palisade/runs';

/** What a run may use and has used, for people. */
export function budgetView({
  budget,
  spent,
}: RootRun): Pick<RunView, 'budget' | 'spent' | 'cost_usd' | 'warnings'> {
  const warnings = budget === null ? [] : unknownWarnings(budget, spent);
  return {
    ...(budget === null ? {} : { budget: limitsView(budget) }),
    ...(spent === null
      ? {}
      : {
          spent: usageView(spent),
        }),
    ...(spent !== null && (spent.cost_micro_usd > 0 || budget?.cost_micro_usd !== undefined)
      ? { cost_usd: spent.cost_micro_usd / 1e6 }
      : {}),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

function limitsView(budget: BudgetFacts): NonNullable<RunView['budget']> {
  return {
    ...(budget.cost_micro_usd === undefined ? {} : { cost_usd: budget.cost_micro_usd / 1e6 }),
    ...(budget.tokens === undefined ? {} : { tokens: budget.tokens }),
    ...(budget.run_ms === undefined ? {} : { seconds: Math.ceil(budget.run_ms / 1000) }),
    ...(budget.attempts === undefined ? {} : { attempts: budget.attempts }),
    ...(budget.stops === true ? { on_exceed: 'stop' as const } : {}),
    ...(budget.refuses_unknown === true ? { unknown: 'refuse' as const } : {}),
  };
}

/** A limit is worth less than it seems while nobody knows what some attempts used. */
function unknownWarnings(budget: BudgetFacts, spent: Spent | null): string[] {
  const say = (n: number | undefined, what: string): string[] =>
    n === undefined || n === 0
      ? []
      : [`the ${what} of ${n} attempt${n === 1 ? '' : 's'} is unknown and not counted in the budget`];
  return [
    ...(budget.cost_micro_usd === undefined ? [] : say(spent?.unknown_cost, 'cost')),
    ...(budget.tokens === undefined ? [] : say(spent?.unknown_tokens, 'token count')),
  ];
}
