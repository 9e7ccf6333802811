import type { SandboxProbe, SandboxProvider } from '@palisade/contracts';
import { expect, test } from 'vitest';
import { chooseSandbox } from './sandbox-choice.ts';

function provider(name: string, probe: SandboxProbe): SandboxProvider {
  const unused = () => Promise.reject(new Error('not needed'));
  return { name, strength: 1, probe: async () => probe, allocate: unused, reap: unused };
}
const boundary = provider('strong', { available: true, posture: ['pid-namespace', 'time-limit'] });
const none = provider('none', { available: true, posture: ['unsandboxed-host'] });
const missing = provider('strong', { available: false, missing: true, reason: 'not here', next: 'get it' });
const broken = provider('strong', { available: false, reason: 'refused', next: 'allow it' });

test('EX-204: the strongest is chosen, and labelled by what it proves', async () => {
  expect(await chooseSandbox([boundary, none], undefined, false)).toEqual({
    name: 'strong',
    isolation: 'sandboxed',
    warnings: [],
  });
  const named = await chooseSandbox([boundary, none], 'none', false);
  expect(named).toMatchObject({ name: 'none', isolation: 'unsandboxed-host' });
  expect(named.warnings.join()).toContain('no boundary (unsandboxed-host)');
});

test('where the strongest is missing the weaker one stands in aloud', async () => {
  const chosen = await chooseSandbox([missing, none], undefined, false);
  expect(chosen).toMatchObject({ name: 'none', isolation: 'unsandboxed-host' });
  expect(chosen.warnings.join('\n')).toMatch(/strong is missing: not here \(get it\)\n.*no boundary/);
});

test('one that is there and does not work is never replaced, unless the operator names another', async () => {
  await expect(chooseSandbox([broken, none], undefined, false)).rejects.toMatchObject({
    code: 'requirements_unmet',
    message: 'sandbox strong is installed and does not work: refused',
    next: 'allow it, or choose --sandbox none yourself',
  });
  await expect(chooseSandbox([broken, none], 'strong', false)).rejects.toMatchObject({ next: 'allow it' });
  expect(await chooseSandbox([broken, none], 'none', false)).toMatchObject({ name: 'none' });
});

test('with isolation required nothing but a boundary is chosen, also by name', async () => {
  expect(await chooseSandbox([boundary, none], undefined, true)).toMatchObject({ name: 'strong' });
  for (const [providers, name] of [
    [[missing, none], undefined],
    [[boundary, none], 'none'],
  ] as const)
    await expect(chooseSandbox(providers, name, true)).rejects.toMatchObject({
      code: 'requirements_unmet',
      message: expect.stringContaining('and one is required'),
    });
});

test('DI-061: a name that nobody has is refused with those there are', async () => {
  await expect(chooseSandbox([boundary, none], 'moon', false)).rejects.toMatchObject({
    next: 'use one of strong, none',
  });
});
