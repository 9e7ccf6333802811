import { expect, it } from 'vitest';
import { leaseSetting } from './lease-setting.ts';

it.each([
  [undefined, undefined],
  ['', undefined],
  ['500', 500],
  ['30000', 30_000],
])('the lease setting %s is %s', (text, value) => {
  expect(leaseSetting({ PALISADE_LEASE_MS: text })).toBe(value);
});

it.each(['0', '499', '3600001', '-1', '1e4', '30s', ' 1000', '99999999999999999999'])(
  'the lease setting %j is refused by name',
  (text) => {
    expect(() => leaseSetting({ PALISADE_LEASE_MS: text })).toThrow(/PALISADE_LEASE_MS must be/);
  },
);
