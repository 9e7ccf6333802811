import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  frozen,
  outputs,
  PATCH,
  type SimulatedEnd,
  SimulatedRun,
  template,
  verdict,
} from '../../test/simulated-run.ts';
import type { FrozenGrowth, FrozenItem } from '../plans/frozen-plan.ts';

const rule = (reviewers: number, threshold: number, more: object = {}): FrozenGrowth => ({
  kind: 'quorum',
  reviewers: Array.from({ length: reviewers }, (_, i) => template({ title: `Reviewer ${i + 1}` })),
  threshold,
  commit: template(),
  onReject: 'block',
  maxRounds: 1,
  ...more,
});
const FIX = { onReject: 'spawn-fix', fix: template({ input: { style: 'terse' } }) };
const subject = (growth: FrozenGrowth, more: Partial<FrozenItem> = {}) =>
  frozen('change', [], { growth, ...more });
const YES: SimulatedEnd = { state: 'done', product: verdict(true) };
const NO: SimulatedEnd = {
  state: 'done',
  product: { ...verdict(false, 'no tests'), ...outputs('findings.md') },
};
const FAILED: SimulatedEnd = { state: 'failed' };
const CANCELED: SimulatedEnd = { state: 'canceled' };
const ends = (special: Record<string, SimulatedEnd>) => (item: FrozenItem) =>
  special[item.id] ?? { state: 'done', product: PATCH };
const votes = (of: string, ...given: SimulatedEnd[]) =>
  Object.fromEntries(given.map((vote, i) => [`${of}::rev-${i + 1}`, vote]));
const work = (from: string, apply?: true) => ({
  key: 'work',
  from,
  select: { kind: 'patch' },
  ...(apply === undefined ? {} : { apply }),
});

describe('a quorum', () => {
  it('DI-203: reviewers get the patch as a file, on what it was made on, and enough approvals make the commit', () => {
    const base = { key: 'b', from: 'base', select: { kind: 'patch' as const }, apply: true };
    const run = new SimulatedRun([
      frozen('base'),
      subject(rule(3, 2), { dependsOn: ['base'], needs: [base] }),
    ]);
    expect(run.run(ends(votes('change', YES, NO, YES)))).toBe(true);
    expect(run.item('change::rev-1')).toMatchObject({
      title: 'Reviewer 1',
      dependsOn: ['change', 'base'],
      needs: [work('change'), { ...base, key: 'base-1' }],
      grownBy: 'change',
    });
    expect(run.item('change::commit')).toMatchObject({
      dependsOn: ['change', 'change::rev-1', 'change::rev-3'],
      needs: [work('change', true)],
    });
  });

  it('DI-203: it is decided as early as it can be, and who had no say any more does not decide the run', () => {
    const run = new SimulatedRun([subject(rule(3, 1))]);
    expect(run.run(ends(votes('change', YES, FAILED, CANCELED)))).toBe(true);
    expect(run.item('change::commit').dependsOn).toEqual(['change', 'change::rev-1']);
    expect(run.facts('change::rev-2').settledBy).toBe('change::commit');
    expect(run.started.indexOf('change::commit')).toBeGreaterThan(0);
    const all = new SimulatedRun([subject(rule(3, 1))]);
    expect(all.run(ends(votes('change', YES, FAILED, YES)), (ready) => ready)).toBe(true);
  });

  it('DI-203: without a commit the approvals are all there is to it', () => {
    const { commit: _commit, ...bare } = rule(3, 2) as Extract<FrozenGrowth, { kind: 'quorum' }>;
    const run = new SimulatedRun([subject(bare)]);
    expect(run.run(ends(votes('change', YES, FAILED, YES)), (ready) => ready)).toBe(true);
    expect(run.facts('change::rev-2').settledBy).toBe('change');
  });

  it('DI-203: a rejection fails the run at once and says who of how many approved', () => {
    const run = new SimulatedRun([subject(rule(3, 2))]);
    expect(run.run(ends(votes('change', NO, NO, YES)))).toBe(false);
    expect(run.refused).toEqual(['0 of 3 reviewers approved change, and 2 have to']);
    expect(run.ids).not.toContain('change::commit');
  });

  it('DI-203: a rejected round makes a fix that is told why, and the fix is reviewed anew', () => {
    const run = new SimulatedRun([subject(rule(2, 2, FIX))]);
    expect(run.run(ends(votes('change', NO, YES)))).toBe(true);
    const fix = run.item('change-fix-1');
    expect(fix).toMatchObject({
      dependsOn: ['change', 'change::rev-1'],
      needs: [
        work('change', true),
        { key: 'findings-1', from: 'change::rev-1', select: { kind: 'output', path: 'findings.md' } },
      ],
      repeats: { item: 'change', round: 2 },
      growth: run.item('change').growth,
    });
    expect(fix.input).toEqual({
      style: 'terse',
      round: 2,
      rejections: [
        { reviewer: 'change::rev-1', reason: 'change::rev-1 is done and its self-check failed\nno tests' },
      ],
    });
    expect(run.item('change-fix-1::rev-2')).toMatchObject({
      dependsOn: ['change-fix-1', 'change'],
      needs: [work('change-fix-1'), { key: 'base-1', from: 'change', apply: true }],
    });
    expect(run.item('change-fix-1::commit').needs).toEqual([work('change-fix-1', true)]);
    expect(run.ids).not.toContain('change::commit');
  });

  it('DI-203: rounds are bounded', () => {
    const run = new SimulatedRun([subject(rule(1, 1, { ...FIX, maxRounds: 2 }))]);
    const no = { ...votes('change', FAILED), ...votes('change-fix-1', NO), ...votes('change-fix-2', NO) };
    expect(run.run(ends(no))).toBe(false);
    expect(run.refused).toEqual(['0 of 1 reviewers approved change-fix-2, and 1 have to, in round 3']);
    expect(run.ids.filter((id) => id.includes('::'))).toEqual([
      'change::rev-1',
      'change-fix-1::rev-1',
      'change-fix-2::rev-1',
    ]);
  });

  it('DI-192, DI-203, DI-193: records of approvals go to the commit, and a fix depends on no approval', () => {
    const record = outputs('approval.json');
    const yes: SimulatedEnd = { state: 'done', product: { ...verdict(true), ...record } };
    const approval = {
      prompt: 'Is it good?',
      role: null,
      expiresMs: null,
      onExpiry: 'deny' as const,
      fourEyes: false,
      distinctFrom: [],
    };
    /** The first reviewer is a person. */
    const byPerson = (growth: ReturnType<typeof rule>) =>
      growth.kind === 'quorum'
        ? {
            ...growth,
            reviewers: growth.reviewers.map((each, i) => (i === 0 ? { ...each, approval } : each)),
          }
        : growth;
    const accepted = new SimulatedRun([subject(byPerson(rule(2, 1)))]);
    // What the other one leaves under the same name was written by a program.
    accepted.run(ends(votes('change', yes, { ...yes })));
    const select = { kind: 'output', path: 'approval.json' };
    expect(accepted.item('change::commit').needs).toEqual([
      work('change', true),
      { key: 'approval-1', from: 'change::rev-1', select },
    ]);
    // Whoever approved it approved what is mended.
    const rejected = new SimulatedRun([subject(byPerson(rule(2, 2, FIX)))]);
    rejected.run(ends(votes('change', yes, NO)));
    expect(rejected.item('change-fix-1').dependsOn).toEqual(['change', 'change::rev-2']);
    const denied: SimulatedEnd = { state: 'denied', product: { ...verdict(false), ...record } };
    const refused = new SimulatedRun([subject(byPerson(rule(2, 2, FIX)))]);
    refused.run(ends(votes('change', denied, NO)));
    expect(refused.item('change-fix-1').dependsOn).toEqual(['change']);
  });

  it('DI-200, DI-203: a reviewer that was canceled makes no fix, and a subject without a patch is not reviewed', () => {
    const run = new SimulatedRun([subject(rule(2, 2, FIX))]);
    expect(run.run(ends(votes('change', CANCELED, NO)))).toBe(false);
    expect(run.ids).not.toContain('change-fix-1');
    const empty = new SimulatedRun([subject(rule(2, 2))]);
    expect(empty.run(() => ({ state: 'done' }))).toBe(false);
    expect(empty.refused).toEqual(['change left no patch: there is nothing to review']);
  });

  it('DI-203: whoever approves in whatever order, the commit is made exactly when enough of one round do', () => {
    const row = fc.record({
      rounds: fc.array(fc.array(fc.constantFrom(YES, NO, FAILED), { minLength: 4, maxLength: 4 }), {
        minLength: 3,
        maxLength: 3,
      }),
      threshold: fc.integer({ min: 1, max: 4 }),
      maxRounds: fc.integer({ min: 1, max: 2 }),
      together: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(row, ({ rounds, threshold, maxRounds, together }) => {
        const names = ['change', 'change-fix-1', 'change-fix-2'];
        const special = Object.assign({}, ...rounds.map((given, i) => votes(names[i] ?? '', ...given)));
        const run = new SimulatedRun([subject(rule(4, threshold, { ...FIX, maxRounds }))]);
        const good = run.run(ends(special), () => together);
        const round = rounds
          .slice(0, maxRounds + 1)
          .findIndex((given) => given.filter((vote) => vote === YES).length >= threshold);
        expect(good).toBe(round >= 0);
        expect(run.ids.filter((id) => id.endsWith('::commit'))).toEqual(
          round < 0 ? [] : [`${names[round]}::commit`],
        );
        const last = round < 0 ? maxRounds : round;
        expect(run.ids.filter((id) => id.includes('::rev-'))).toHaveLength(4 * (last + 1));
      }),
    );
  });

  const person = template({
    approval: {
      prompt: 'Good?',
      role: null,
      expiresMs: null,
      onExpiry: 'deny',
      fourEyes: true,
      distinctFrom: ['legal'],
    },
  });
  const panel = (threshold: number, more: object = {}) =>
    rule(0, threshold, { reviewers: [template(), template(), person, person], ...more });
  const DENIED: SimulatedEnd = { state: 'denied', product: verdict(false, 'denied by human:bob: no tests') };

  it('DI-203: a person among the reviewers is asked about the patch alone, and each has to be another one', () => {
    const base = { key: 'b', from: 'base', select: { kind: 'patch' as const }, apply: true };
    const run = new SimulatedRun([frozen('base'), subject(panel(4), { dependsOn: ['base'], needs: [base] })]);
    expect(run.run(ends(votes('change', YES, YES, YES, YES)))).toBe(true);
    expect(run.item('change::rev-3')).toMatchObject({
      dependsOn: ['change'],
      needs: [work('change')],
      approval: { distinctFrom: ['legal', 'change::rev-4'] },
    });
    expect(run.item('change::rev-4').approval?.distinctFrom).toEqual(['legal', 'change::rev-3']);
    expect(run.item('change::commit').dependsOn).toEqual([
      'change',
      'change::rev-1',
      'change::rev-2',
      'change::rev-3',
      'change::rev-4',
    ]);
  });

  it('DI-203: programs cannot outvote a person: without the approval of every one there is no commit', () => {
    // Two programs are enough for the threshold, and are not enough.
    const all = new SimulatedRun([subject(panel(2))]);
    expect(all.run(ends(votes('change', YES, YES, YES, YES)))).toBe(true);
    expect(all.item('change::commit').dependsOn).toHaveLength(5);
    for (const refused of [DENIED, { state: 'failed' } as const]) {
      const run = new SimulatedRun([subject(panel(2))]);
      expect(run.run(ends(votes('change', YES, YES, refused, YES)))).toBe(false);
      expect(run.ids).not.toContain('change::commit');
      expect(run.refused).toEqual(["change::rev-3 was not approved, which is a person's to do"]);
    }
  });

  it('DI-203: who is still asked when the round is decided is asked no more, and a denial leads to a fix that is told why', () => {
    const run = new SimulatedRun([subject(panel(4, FIX))]);
    const first = votes('change', YES, YES, DENIED);
    expect(run.run(ends({ ...first, ...votes('change-fix-1', YES, YES, YES, YES) }))).toBe(true);
    expect(run.facts('change::rev-4')).toMatchObject({ state: 'canceled', settledBy: 'change-fix-1' });
    expect(run.item('change-fix-1').input).toMatchObject({
      rejections: [
        { reviewer: 'change::rev-3', reason: expect.stringContaining('denied by human:bob: no tests') },
      ],
    });
    expect(run.item('change-fix-1::rev-4').approval?.distinctFrom).toEqual(['legal', 'change-fix-1::rev-3']);
    const programs = new SimulatedRun([subject(panel(4))]);
    expect(programs.run(ends(votes('change', NO)))).toBe(false);
    expect(programs.states()).toMatchObject({ 'change::rev-3': 'canceled', 'change::rev-4': 'canceled' });
    expect(programs.refused).toEqual(['0 of 4 reviewers approved change, and 4 have to']);
  });
});
