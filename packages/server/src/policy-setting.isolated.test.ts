import { type BigIntStats, chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuthorizationRequest, contentHash } from '@palisade/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { checkPolicy, policySetting } from './policy-setting.ts';

/** What is told of every file, when a test says so. */
const clock = vi.hoisted(() => ({ facts: undefined as BigIntStats | undefined }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    statSync: (...args: Parameters<typeof fs.statSync>) => clock.facts ?? fs.statSync(...args),
  };
});
afterEach(() => {
  clock.facts = undefined;
});

let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'palisade-policy-'));
});
afterAll(() => rmSync(place, { recursive: true }));

const written = (text: string, mode = 0o600): string => {
  const path = join(place, 'policy.json');
  rmSync(path, { force: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};
const policy = (deny: readonly object[]) => JSON.stringify({ schema_version: 1, deny });
const REQUEST: AuthorizationRequest = {
  phase: 'fire',
  runId: 'r',
  itemId: 'i',
  actor: 'human:ann',
  effect: 'unknown',
  at: 1,
};
const ask = (path: string) => {
  const authorizer = policySetting({ PALISADE_POLICY: path });
  return async () => authorizer?.authorize(REQUEST, new AbortController().signal);
};

describe('the setting of the policy', () => {
  test('DI-194: nobody decides unless the operator says so', () => {
    expect(policySetting({})).toBeUndefined();
    expect(policySetting({ PALISADE_POLICY: '' })).toBeUndefined();
    expect(checkPolicy({})).toBe(false);
  });

  test('DI-194: a decision names the policy by the hash of its file, and is always by the one in force', async () => {
    const first = policy([{ name: 'no-ann', actor: 'human:ann' }]);
    const path = written(first);
    const answer = ask(path);
    expect(await answer()).toMatchObject({ verdict: 'deny', policy_ref: contentHash(first) });
    const second = policy([{ name: 'no-bob', actor: 'human:bob' }]);
    written(second);
    expect(await answer()).toMatchObject({ verdict: 'allow', policy_ref: contentHash(second) });
    // One that is damaged, or gone, lets nothing through, until it is there again.
    written('{');
    await expect(answer()).rejects.toMatchObject({ code: 'invalid_input' });
    rmSync(path);
    await expect(answer()).rejects.toMatchObject({ code: 'invalid_input' });
    written(second);
    expect(await answer()).toMatchObject({ verdict: 'allow' });
  });

  test('DI-194: a policy that is changed right after it was read is not taken for the one before', async () => {
    const [first, second] = ['no-ann', 'no-bob'].map((name) => policy([{ name }])) as [string, string];
    const path = written(first);
    const answer = ask(path);
    // Of a file system that tells time too coarsely to see the change.
    clock.facts = statSync(path, { bigint: true });
    expect(await answer()).toMatchObject({ policy_ref: contentHash(first) });
    writeFileSync(path, second);
    expect(await answer()).toMatchObject({ policy_ref: contentHash(second) });
  });

  test("DI-260: what is no policy, or not the operator's, is refused with the file and the place", () => {
    const refusal = (path: string) => {
      try {
        return checkPolicy({ PALISADE_POLICY: path }) ? 'none' : 'not set';
      } catch (error) {
        return (error as Error).message;
      }
    };
    const nothing = join(place, 'nothing');
    expect(refusal('policy.json')).toBe('the policy policy.json must be an absolute path');
    expect(refusal(nothing)).toBe(`the policy ${nothing} is no file`);
    expect(refusal(place)).toBe(`the policy ${place} is no file`);
    expect(refusal(written(policy([]), 0o666))).toContain('may be written by every user of this machine');
    expect(refusal(written('not json'))).toContain('is not JSON');
    const path = written(policy([{ name: 'x', efect: 'pure' }]));
    expect(refusal(path)).toBe(
      `the policy ${path} is not valid: deny[0]: Unrecognized key: "efect" (there are name, phase, actor, shape, effect, reason)`,
    );
    expect(refusal(written(JSON.stringify({ schema_version: 1, denied: [] })))).toContain(
      '(top): Unrecognized key: "denied" (there are schema_version, deny, allow)',
    );
    expect(refusal(written(policy([]), 0o644))).toBe('none');
  });

  test.each([
    ['value', undefined, 'give the absolute path'],
    ['variable', 'it is set by the variable PALISADE_POLICY', 'set PALISADE_POLICY to'],
    [{ file: '/home/ada/config.toml' }, 'it is set in /home/ada/config.toml', 'palisade config unset policy'],
    [undefined, undefined, 'palisade config explain policy'],
  ] as const)('DI-260: a mistake names where the policy was set, and what to do: %j', (origin, why, next) => {
    const check = (path: string) => {
      try {
        checkPolicy({ PALISADE_POLICY: path }, origin);
        return undefined;
      } catch (error) {
        return error;
      }
    };
    expect(check(join(place, 'nothing'))).toMatchObject({ why, next: expect.stringContaining(next) });
    expect(check(written('{'))).toMatchObject({ why, next: 'correct the file, then palisade doctor' });
  });
});
