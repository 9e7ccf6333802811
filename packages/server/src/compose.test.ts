import type { SandboxProvider } from '@palisade/contracts';
import { expect, test } from 'vitest';
import { reapAttempt } from './compose.ts';

test('FF-046: only the provider an attempt ran in is asked to end what is left, all when nobody knows it', async () => {
  const asked: string[] = [];
  const provider = (name: string): SandboxProvider => ({
    name,
    strength: 1,
    probe: async () => ({ available: false, reason: 'not needed' }),
    allocate: () => Promise.reject(new Error('not needed')),
    reap: async (attemptId, stateDir) => void asked.push(`${name} ${attemptId} ${stateDir}`),
  });
  const providers = [provider('a'), provider('b')];
  await reapAttempt(providers, 'att', '/state', 'b');
  expect(asked.splice(0)).toEqual(['b att /state']);
  for (const unknown of [null, 'gone']) {
    await reapAttempt(providers, 'att', '/state', unknown);
    expect(asked.splice(0)).toEqual(['a att /state', 'b att /state']);
  }
});
