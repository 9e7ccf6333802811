import type { BudgetFacts, EventData } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { detailOf } from '../../test/judge.ts';
import { Story, TestLog } from '../../test/story.ts';

const submitted = (items: number, budget?: BudgetFacts): Story => {
  const data = new Story('run-r').submit(items).entries[0]?.data as EventData<'run.submitted'>;
  return new Story('run-r').tell('run.submitted', { ...data, ...(budget === undefined ? {} : { budget }) });
};
const spent = (cost_usd: number) => ({ usage: { cost_usd, input_tokens: 10, output_tokens: 5 } });
const verdictOf = async (story: Story): Promise<string> => detailOf(await new TestLog().seal(story), 'chain');

/** Two items: one done for `cost`, the other canceled because of the breach that is told. */
const ended = (breach: object, cost = 1.5, budget: BudgetFacts = { cost_micro_usd: 1_000_000 }): Story =>
  submitted(2, budget)
    .fire('a')
    .reconcile('a', 'done', 1, spent(cost))
    .tell('run.budget_exceeded', { breach: breach as never })
    .tell('item.canceled', { item: 'b', reason: 'the budget is used up' })
    .complete('budget_exceeded', { done: 1, canceled: 1 });

const TRUE = { meter: 'cost_micro_usd', limit: 1_000_000, spent: 1_500_000 };

describe('budgets in a ledger', () => {
  it('DI-181: a breach that the ledger itself tells verifies', async () => {
    expect(await verdictOf(ended(TRUE))).toMatch(/^true/);
    expect(await verdictOf(ended({ ...TRUE, spent: 900_000, needed: 200_000 }, 0.9))).toMatch(/^true/);
    expect(await verdictOf(ended({ meter: 'tokens', limit: 15, spent: 15 }, 0, { tokens: 15 }))).toMatch(
      /^true/,
    );
    expect(await verdictOf(ended({ meter: 'attempts', limit: 1, spent: 1 }, 0, { attempts: 1 }))).toMatch(
      /^true/,
    );
  });

  it('DI-181: a sum, a limit or a status that the ledger does not tell is a problem', async () => {
    const cases: [RegExp, Story][] = [
      [
        /used 2000000 of 1000000 cost_micro_usd, the ledger tells of 1500000/,
        ended({ ...TRUE, spent: 2_000_000 }),
      ],
      [
        /used 1500000 of 900000 cost_micro_usd, the ledger tells of 1500000 of 1000000/,
        ended({ ...TRUE, limit: 900_000 }),
      ],
      [/the ledger tells of 900000 of 1000000/, ended({ ...TRUE, spent: 900_000 }, 0.9)],
      [/of no limit/, ended({ meter: 'tokens', limit: 1, spent: 15 })],
      [
        /says budget_exceeded, but no limit had ended the run/,
        submitted(1)
          .tell('item.canceled', { item: 'a', reason: 'x' })
          .complete('budget_exceeded', { canceled: 1 }),
      ],
      [
        /fired after the budget had ended the run/,
        submitted(2, { attempts: 1 })
          .fire('a')
          .reconcile('a', 'done')
          .tell('run.budget_exceeded', { breach: { meter: 'attempts', limit: 1, spent: 1 } })
          .fire('b')
          .reconcile('b', 'done')
          .complete('completed', { done: 2 }),
      ],
      [
        /failed with budget_exceeded and no limit is named/,
        submitted(1)
          .fire('a')
          .reconcile('a', 'retrying')
          .tell('item.failed', { item: 'a', reason: 'x', code: 'budget_exceeded' })
          .complete('failed', { failed: 1 }),
      ],
      [
        /fired while the run was paused/,
        submitted(1)
          .tell('run.paused', { actor: 'x' })
          .fire('a')
          .reconcile('a', 'done')
          .complete('completed', { done: 1 }),
      ],
      [
        /run.resumed of a run that was not paused/,
        submitted(1)
          .tell('run.resumed', { actor: 'x' })
          .fire('a')
          .reconcile('a', 'done')
          .complete('completed', { done: 1 }),
      ],
    ];
    for (const [problem, story] of cases) expect(await verdictOf(story)).toMatch(problem);
  });
});
