import { expect, test } from 'vitest';
import { splitUsage } from './session-usage.ts';

const resumed = (spent: object) => ({ id: 'session-1', files: [], spent });

test('FF-173: what a vendor counts for a whole session is counted once, whatever earlier attempts told', () => {
  const first = splitUsage({ input_tokens: 100, cost_usd: 0.1, turns: 2, models: ['m'] }, null);
  expect(first.own).toEqual({ input_tokens: 100, cost_usd: 0.1, turns: 2, models: ['m'] });
  expect(first.spent).toEqual({ input_tokens: 100, cost_usd: 0.1 });

  // Ended before it told anything: the next one tells what it used too.
  const second = splitUsage(undefined, resumed(first.spent ?? {}));
  expect(second).toEqual({ own: undefined, spent: first.spent });

  const third = splitUsage(
    { input_tokens: 170, output_tokens: 9, cost_usd: 0.3, turns: 1 },
    resumed(second.spent ?? {}),
  );
  expect(third.own).toEqual({ input_tokens: 70, output_tokens: 9, cost_usd: 0.2, turns: 1 });
  expect(third.spent).toEqual({ input_tokens: 170, output_tokens: 9, cost_usd: 0.3 });
});

test('a vendor that begins to count anew is believed', () => {
  const { own, spent } = splitUsage({ input_tokens: 30 }, resumed({ input_tokens: 100 }));
  expect([own, spent]).toEqual([{ input_tokens: 30 }, { input_tokens: 30 }]);
});
