import { expect, it } from 'vitest';
import { retentionSetting } from './retention-setting.ts';

it.each([
  [undefined, null],
  ['', null],
  ['1', 86_400_000],
  ['2555', 2_555 * 86_400_000],
])('DI-082: the retention setting %s is %s', (text, value) => {
  expect(retentionSetting({ PALISADE_RETENTION_DAYS: text })).toBe(value);
});

it.each(['0', '2556', '-1', '1.5', '1e2', '30d', ' 30'])(
  'DI-080: the retention setting %j is refused by name',
  (text) => {
    expect(() => retentionSetting({ PALISADE_RETENTION_DAYS: text })).toThrow(
      /PALISADE_RETENTION_DAYS must be/,
    );
  },
);
