import { contentHash } from '@palisade/contracts';
import { type AskedFor, authorizerConformance } from '@palisade/contracts/testing';
import { describe, expect, it } from 'vitest';
import { Policy, type PolicyRule } from './policy.ts';
import { rulesAuthorizer } from './rules-authorizer.ts';

const ref = contentHash('policy');
const by = (policy: object) =>
  rulesAuthorizer(async () => ({ policy: Policy.parse({ schema_version: 1, ...policy }), ref }));

authorizerConformance(
  {
    name: 'rules',
    make: () => by({ deny: [{ name: 'no-bots', actor: 'service:*' }] }),
    allowed: { actor: 'human:ann' },
    denied: { actor: 'service:nightly' },
  },
  { describe, it, expect },
);

describe('the rules of a policy', () => {
  const asked: AskedFor = { phase: 'fire', actor: 'human:ann', shape: 'dev.verify', effect: 'read-impure' };
  const answer = (policy: object, more: AskedFor = {}) =>
    by(policy).authorize(
      {
        runId: 'r',
        itemId: 'i',
        at: 1,
        phase: 'fire',
        actor: 'human:ann',
        effect: 'unknown',
        ...asked,
        ...more,
      },
      new AbortController().signal,
    );
  const denies = async (rule: Omit<PolicyRule, 'name'>, more?: AskedFor) =>
    (await answer({ deny: [{ name: 'r', ...rule }] }, more)).verdict === 'deny';

  it('DI-194: a rule denies when all that it states is so, and only then', async () => {
    expect(await denies({})).toBe(true);
    expect(await denies({ phase: 'fire', actor: 'human:ann', shape: 'dev.verify' })).toBe(true);
    expect(await denies({ phase: 'submit', actor: 'human:ann', shape: 'dev.verify' })).toBe(false);
    expect(await denies({ actor: 'human:an' })).toBe(false);
    expect(await denies({ actor: 'human:an*' })).toBe(true);
    expect(await denies({ actor: ['service:*', 'human:ann'] })).toBe(true);
    expect(await denies({ shape: 'dev.*', effect: ['pure', 'read-impure'] })).toBe(true);
    expect(await denies({ shape: 'dev.*', effect: 'pure' })).toBe(false);
    expect(await denies({ shape: '*' }, { shape: undefined, effect: 'unknown' } as never)).toBe(false);
    // A star that is not the last character is one.
    expect(await denies({ actor: '*:ann' })).toBe(false);
  });

  it('DI-194: the first rule that denies is named with its reason, before any that allows', async () => {
    const rules = {
      deny: [
        { name: 'other', actor: 'human:bob' },
        { name: 'frozen', effect: 'read-impure', reason: 'nothing before Monday' },
        { name: 'later' },
      ],
      allow: [{ name: 'all' }],
    };
    expect(await answer(rules)).toEqual({
      verdict: 'deny',
      principal: 'human:ann',
      policy_ref: ref,
      reason: 'rule frozen of the policy denies it: nothing before Monday',
    });
  });

  it('DI-193: what writes is allowed by a rule alone; everything else by default', async () => {
    const writes = { shape: 'dev.code-edit', effect: 'write-impure' } as const;
    expect((await answer({})).verdict).toBe('allow');
    expect((await answer({}, writes)).verdict).toBe('not-evaluated');
    const allow = [{ name: 'ann-writes', actor: 'human:ann', effect: 'write-impure' }];
    expect((await answer({ allow }, writes)).verdict).toBe('allow');
    expect((await answer({ allow }, { ...writes, actor: 'human:bob' })).verdict).toBe('not-evaluated');
  });

  it('DI-194: a policy with a word that nobody knows is none', () => {
    for (const wrong of [
      { deny: [{ name: 'x', actr: 'human:ann' }] },
      { deny: [{ actor: 'human:ann' }] },
      { deny: [{ name: 'x', effect: 'writes' }] },
      { rules: [] },
      { schema_version: 2 },
    ])
      expect(Policy.safeParse({ schema_version: 1, ...wrong }).success).toBe(false);
  });
});
