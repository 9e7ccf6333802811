import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { leaseSetting } from './lease-setting.ts';
import { openControlPlane } from './open-control-plane.ts';

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

it('a command refuses it too, not only the engine that nobody sees', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'palisade-lease-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  vi.stubEnv('PALISADE_LEASE_MS', 'abc');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(openControlPlane({ directory, create: true })).rejects.toMatchObject({
    code: 'invalid_input',
  });
});
