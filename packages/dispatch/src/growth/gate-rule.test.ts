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

const gateOn = (subject: string, maxFixAttempts = 1): FrozenGrowth => ({
  kind: 'gate',
  onRed: 'spawn-fix',
  subject,
  fix: template({ locks: ['fix-lock'] }),
  maxFixAttempts,
});
const gate = (id: string, dependsOn: string[], subject: string, max = 1, more: Partial<FrozenItem> = {}) =>
  frozen(id, dependsOn, { growth: gateOn(subject, max), ...more });
const patchNeed = (from: string, apply = true) => ({
  key: 'work',
  from,
  select: { kind: 'patch' as const },
  apply,
});

const DONE: SimulatedEnd = { state: 'done', product: PATCH };
const RED: SimulatedEnd = { state: 'done', product: { ...PATCH, ...verdict(false, 'two tests failed') } };
const FAILED: SimulatedEnd = { state: 'failed' };
/** Items that end otherwise than done. */
const ends = (special: Record<string, SimulatedEnd>) => (item: FrozenItem) => special[item.id] ?? DONE;

const chain = () => [
  frozen('implement'),
  gate('test', ['implement'], 'implement', 2, {
    needs: [patchNeed('implement')],
    locks: ['db'],
    maxAttempts: 3,
  }),
  frozen('publish', ['test']),
  frozen('announce', ['publish']),
];

describe('a gate that goes back', () => {
  it('DI-201: red makes a fix of the subject, the gate once more, and what was skipped behind it', () => {
    const run = new SimulatedRun(chain());
    expect(run.run(ends({ test: RED }))).toBe(true);
    expect(run.states()).toEqual({
      implement: 'done',
      test: 'done',
      publish: 'skipped',
      announce: 'skipped',
      'test-fix-1': 'done',
      'test~2': 'done',
      'publish~2': 'done',
      'announce~2': 'done',
    });
    const fix = run.item('test-fix-1');
    expect(fix).toMatchObject({
      dependsOn: ['implement'],
      needs: [patchNeed('implement')],
      grownBy: 'test',
      title: 'test-fix-1',
    });
    expect(fix.locks).toEqual(['fix-lock']);
    expect(fix.input).toEqual({ gateReason: 'test is done and its self-check failed\ntwo tests failed' });
    expect(run.item('test~2')).toEqual({
      ...run.item('test'),
      id: 'test~2',
      dependsOn: ['test-fix-1'],
      needs: [patchNeed('test-fix-1')],
      growth: gateOn('test-fix-1', 2),
      grownBy: 'test',
      repeats: { item: 'test', round: 2 },
    });
    expect(run.item('publish~2')).toMatchObject({
      dependsOn: ['test~2'],
      repeats: { item: 'publish', round: 2 },
    });
    expect(run.item('announce~2')).toMatchObject({ dependsOn: ['publish~2'] });
  });

  it('DI-201: the fix of a later round builds on the fix before it', () => {
    const run = new SimulatedRun(chain());
    expect(run.run(ends({ test: RED, 'test~2': FAILED }))).toBe(true);
    expect(run.item('test-fix-2')).toMatchObject({
      dependsOn: ['test-fix-1'],
      needs: [patchNeed('test-fix-1')],
    });
    expect(run.item('test~3').needs).toEqual([patchNeed('test-fix-2')]);
    expect(run.facts('publish').settledBy).toBe('publish~2');
    expect(run.facts('publish~2').settledBy).toBe('publish~3');
  });

  it('DI-201: nothing is made beyond the bound, and the run fails', () => {
    const run = new SimulatedRun(chain());
    expect(run.run(ends({ test: RED, 'test~2': RED, 'test~3': RED }))).toBe(false);
    expect(run.ids.filter((id) => id.includes('-fix-'))).toEqual(['test-fix-1', 'test-fix-2']);
  });

  it('DI-201: no fix without a template, for a gate that goes on, for an item that was canceled, or when the fix is', () => {
    const without = gate('test', ['implement'], 'implement');
    const {
      fix: _fix,
      subject: _subject,
      ...bare
    } = gateOn('implement') as Extract<FrozenGrowth, { kind: 'gate' }>;
    for (const growth of [bare, { ...gateOn('implement'), onRed: 'advance' as const }]) {
      const run = new SimulatedRun([frozen('implement'), { ...without, growth }]);
      expect(run.run(ends({ test: FAILED }))).toBe(false);
      expect(run.ids).toEqual(['implement', 'test']);
    }
    const canceled = new SimulatedRun(chain());
    expect(canceled.run(ends({ test: { state: 'canceled' } }))).toBe(false);
    expect(canceled.ids).toHaveLength(4);
    const fixCanceled = new SimulatedRun(chain());
    expect(fixCanceled.run(ends({ test: RED, 'test-fix-1': { state: 'canceled' } }))).toBe(false);
    expect(fixCanceled.ids).not.toContain('test-fix-2');
  });

  it('DI-201: the fix is given the findings of the gate: of a done one by the edge, of a failed one by address', () => {
    const found = outputs('findings.md', 'other');
    const red = new SimulatedRun(chain());
    red.run(ends({ test: { state: 'done', product: { ...verdict(false), ...found } } }));
    expect(red.item('test-fix-1')).toMatchObject({
      dependsOn: ['implement', 'test'],
      needs: [
        patchNeed('implement'),
        { key: 'findings', from: 'test', select: { kind: 'output', path: 'findings.md' } },
      ],
    });
    const failed = new SimulatedRun(chain());
    expect(failed.run(ends({ test: { state: 'failed', product: found } }))).toBe(true);
    expect(failed.item('test-fix-1')).toMatchObject({
      dependsOn: ['implement'],
      inputRefs: [{ key: 'findings', ref: found.outputs?.[0]?.ref }],
    });
  });

  it('DI-201: what a gate says is bounded and well-formed in the input of the fix', () => {
    const run = new SimulatedRun(chain());
    const report = `${'\ud800\0'.repeat(50_000)}the end`;
    run.run(ends({ test: { state: 'done', product: verdict(false, report) } }));
    const { gateReason } = run.item('test-fix-1').input as { gateReason: string };
    expect(gateReason.length).toBeLessThanOrEqual(4_000);
    expect(gateReason.endsWith('the end')).toBe(true);
    expect(gateReason.isWellFormed()).toBe(true);
  });

  it('DI-175: what uses the outputs of a red gate runs, and is not repeated', () => {
    const report = frozen('report', ['test'], {
      needs: [{ key: 'r', from: 'test', select: { kind: 'output', path: 'report' } }],
    });
    const run = new SimulatedRun([...chain(), report]);
    expect(run.run(ends({ test: RED }))).toBe(true);
    expect(run.states()['report']).toBe('done');
    expect(run.ids).not.toContain('report~2');
  });

  it('DI-201, FF-143: what lies between subject and gate is done again, so that no verdict is about older work', () => {
    const run = new SimulatedRun([
      frozen('implement'),
      frozen('unrelated'),
      frozen('build', ['implement', 'unrelated']),
      gate('test', ['build'], 'implement'),
      gate('lint', ['implement'], 'implement'),
      frozen('pack', ['lint']),
    ]);
    expect(run.run(ends({ test: RED }))).toBe(true);
    expect(run.item('build~2').dependsOn).toEqual(['test-fix-1', 'unrelated']);
    expect(run.item('test~2').dependsOn).toEqual(['build~2']);
    expect(run.item('lint~2').dependsOn).toEqual(['test-fix-1']);
    expect(run.ids).not.toContain('unrelated~2');
    expect(run.facts('build').settledBy).toBe('build~2');
  });

  it('DI-201: two gates about one subject, red in one unit of work, make one line of fixes', () => {
    const run = new SimulatedRun([
      frozen('implement'),
      gate('lint', ['implement'], 'implement'),
      gate('test', ['implement'], 'implement'),
      frozen('publish', ['lint', 'test']),
    ]);
    expect(run.run(ends({ lint: RED, test: RED, 'test~2': RED }), (ready) => ready)).toBe(true);
    expect(run.item('test-fix-1').needs).toEqual([patchNeed('lint-fix-1')]);
    expect(run.item('publish~3').dependsOn).toEqual(['lint~3', 'test~3']);
    expect(run.states()['publish~2']).toBe('skipped');
  });

  it('DI-201: gates about different subjects lead to one copy of what waits for both', () => {
    const items = [
      frozen('a'),
      frozen('b'),
      gate('test-a', ['a'], 'a'),
      gate('test-b', ['b'], 'b'),
      frozen('publish', ['test-a', 'test-b']),
      frozen('announce', ['publish']),
    ];
    for (const together of [1, 9]) {
      const run = new SimulatedRun(items);
      expect(run.run(ends({ 'test-a': RED, 'test-b': FAILED }), () => together)).toBe(true);
      expect(run.item('publish~3').dependsOn).toEqual(['test-a~2', 'test-b~2']);
      expect(run.item('announce~3').dependsOn).toEqual(['publish~3']);
      expect(run.ids).not.toContain('publish~4');
    }
  });

  it('DI-201: a gate in front of a long chain is looked at in time that follows the chain', () => {
    const length = 400;
    const items = [frozen('implement'), gate('test', ['implement'], 'implement')];
    for (let i = 0; i < length; i++) items.push(frozen(`i${i}`, [i === 0 ? 'test' : `i${i - 1}`]));
    const run = new SimulatedRun(items, 5_000);
    expect(run.run(ends({ test: RED }))).toBe(true);
    expect(run.item(`i${length - 1}~2`).dependsOn).toEqual([`i${length - 2}~2`]);
    expect(run.ids).toHaveLength(2 * length + 4);
  });

  it('DI-201: an id that is taken is passed over', () => {
    const run = new SimulatedRun([...chain(), frozen('test~2'), frozen('test-fix-1')]);
    expect(run.run(ends({ test: RED }))).toBe(true);
    expect(run.item('test~3').dependsOn).toEqual(['test-fix-2']);
  });

  it('DI-201: two gates whose work meets in between: the second round is made of both fixes, not of what the first replaced', () => {
    const run = new SimulatedRun([
      frozen('left'),
      frozen('right'),
      frozen('joined', ['left', 'right']),
      gate('left-test', ['joined'], 'left', 2),
      gate('right-test', ['joined'], 'right', 2),
    ]);
    expect(run.run(ends({ 'left-test': FAILED, 'right-test': FAILED }))).toBe(true);
    expect(run.item('joined~2').dependsOn).toEqual(['left-test-fix-1', 'right']);
    expect(run.item('joined~3').dependsOn).toEqual(['left-test-fix-1', 'right-test-fix-1']);
    expect(run.item('right-test~2').dependsOn).toEqual(['joined~3']);
    expect(run.facts('joined~2').settledBy).toBe('joined~3');
  });

  it('DI-200, DI-201: whatever ends red, a run ends, within its bounds, and well only when its last gates are green', () => {
    const plan = fc
      .array(
        fc.record({ deps: fc.array(fc.nat(20), { maxLength: 3 }), isGate: fc.boolean(), back: fc.nat(20) }),
        {
          minLength: 2,
          maxLength: 10,
        },
      )
      .map((rows) =>
        rows.map(({ deps, isGate, back }, i): FrozenItem => {
          const dependsOn = i === 0 ? [] : [...new Set(deps.map((d) => `i${d % i}`))];
          if (!isGate || dependsOn.length === 0) return frozen(`i${i}`, dependsOn);
          return gate(`i${i}`, dependsOn, upstream(rows, i, back), 2);
        }),
      );
    const upstream = (rows: readonly { deps: number[] }[], i: number, back: number): string => {
      const all = new Set<number>();
      const line = [i];
      for (let at = line.pop(); at !== undefined; at = line.pop())
        for (const d of at === 0 ? [] : (rows[at]?.deps ?? []))
          if (!all.has(d % at)) {
            all.add(d % at);
            line.push(d % at);
          }
      const sorted = [...all].sort((a, b) => a - b);
      return `i${sorted[back % sorted.length]}`;
    };
    const reds = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(plan, reds, fc.integer({ min: 1, max: 4 }), (items, dice, together) => {
        const play = () => {
          let thrown = 0;
          const run = new SimulatedRun(items, 5_000);
          const good = run.run(
            (item) => {
              const roll = dice[thrown++ % dice.length] ?? 9;
              return item.growth === undefined || roll > 3 ? DONE : roll > 1 ? RED : FAILED;
            },
            () => together,
          );
          return { run, good };
        };
        const { run, good } = play();
        const again = play();
        expect(again.run.answers).toEqual(run.answers);
        const gates = items.filter((item) => item.growth !== undefined);
        expect(run.ids.filter((id) => /-fix-\d+$/.test(id)).length).toBeLessThanOrEqual(gates.length * 2);
        // It ended well exactly when the last copy of every item is done and green.
        const lastOf = (id: string) => {
          let at = id;
          for (let by = run.facts(at).settledBy; by !== null; by = run.facts(at).settledBy) at = by;
          return run.facts(at);
        };
        const last = items.map(({ id }) => lastOf(id));
        const isGreen = last.every(
          ({ state, product }, i) =>
            state === 'done' && (items[i]?.growth === undefined || product?.verify?.passed !== false),
        );
        // No verdict that counts is about work that was mended or done again since.
        const counting = run.ids.filter((id) => run.facts(id).settledBy === null).map((id) => run.item(id));
        for (const { growth } of counting)
          if (growth?.kind === 'gate' && good) {
            expect(run.facts(growth.subject ?? '').settledBy).toBeNull();
            const mended = counting.filter(
              ({ id, needs: [need] }) => /-fix-\d+$/.test(id) && need?.from === growth.subject,
            );
            expect(mended).toEqual([]);
          }
        const fixes = run.ids.filter((id) => id.includes('-fix-')).map((id) => lastOf(id).state);
        expect(good).toBe(isGreen && fixes.every((state) => state === 'done'));
      }),
      { numRuns: 300 },
    );
  });

  it('DI-192, DI-201: two people who have to approve are two people in every round', () => {
    const approval = (distinctFrom: string[]) => ({
      approval: {
        prompt: 'Ship it?',
        role: null,
        expiresMs: null,
        onExpiry: 'deny' as const,
        fourEyes: false,
        distinctFrom,
      },
    });
    const run = new SimulatedRun([
      frozen('implement'),
      frozen('first', ['implement'], { needs: [patchNeed('implement', false)], ...approval([]) }),
      frozen('second', ['implement'], { needs: [patchNeed('implement', false)], ...approval(['first']) }),
      gate('test', ['first', 'second'], 'implement'),
    ]);
    run.run(ends({ test: RED }));
    expect(run.item('second~2').approval?.distinctFrom).toEqual(['first', 'first~2']);
  });
});
