import { didYouMean, limits } from '@palisade/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OWN_SHAPES } from '../shapes/shape-catalogue.ts';
import { validatePlanShape } from './plan-validate.ts';

const issues = (plan: unknown): string[] =>
  validatePlanShape(plan, OWN_SHAPES).issues.map((issue) => `${issue.path}: ${issue.message}`);
const item = (id: string, more: Record<string, unknown> = {}) => ({ id, command: 'true', ...more });

describe('plan validation', () => {
  it('DI-163: reports every problem at once, each with its place', () => {
    expect(
      issues({
        items: [
          item('a', { depends_on: ['missing'], resourceLocks: ['db', 'db'] }),
          item('a'),
          { id: 'nothing' },
          item('both', { agent: 'x' }),
          item('n', { needs: { work: { from: 'aa', select: { kind: 'patch' } } } }),
        ],
      }),
    ).toEqual([
      'items[1].id: "a" is already the id of items[0]',
      'items[0].resourceLocks[1]: "db" is listed twice',
      'items[0].depends_on[0]: unknown item "missing"',
      'items[2]: says nothing to run: give one of command, run, agent or inputs.subagent',
      'items[3]: gives command and agent: only one may say what to run',
      'items[4].needs.work.from: unknown item "aa" (did you mean "a"?)',
    ]);
  });

  it('FF-143: a self-check that will not count is warned of, in items and in templates, and is no mistake', () => {
    const verify = { kind: 'script', lens: 'verify', command: 'true' };
    const pipeline = [{ kind: 'agent' }, verify, { kind: 'capture', what: 'patch' }];
    const early = { command: 'true', inputs: { pipeline } };
    const checked = validatePlanShape(
      {
        items: [
          item('fine', { verify: { command: 'true' } }),
          { id: 'early', ...early },
          item('test', {
            depends_on: ['fine'],
            inputs: { gate: { onRed: 'spawn-fix', subject: 'fine', fixTemplate: early } },
          }),
        ],
      },
      OWN_SHAPES,
    );
    expect(checked.issues).toEqual([]);
    expect(checked).toMatchObject({
      ok: true,
      warnings: [
        { path: 'items[1].inputs.pipeline[1]', message: expect.stringContaining('does not count') },
        { path: 'items[2], a template.inputs.pipeline[1]' },
      ],
    });
  });

  it('DI-162: unknown and malformed keys are refused, also the reserved carriers', () => {
    expect(issues({ items: [item('a', { inputs: { pipelines: [] } })] })).toEqual([
      'items[0].inputs: Unrecognized key: "pipelines" (did you mean "pipeline"?)',
    ]);
    expect(
      issues({ items: [item('a', { inputs: { capabilities: ['x'], addCapabilities: ['y'] } })] })[0],
    ).toContain('give one of them');
    expect(issues({ items: [item('a')], extra: 1 })).toEqual(['(top): Unrecognized key: "extra"']);
    expect(issues({ items: [item('a', { inputs: { inputRefs: { k: 'sha256:short' } } })] })[0]).toContain(
      'items[0].inputs.inputRefs.k',
    );
    for (const junk of [null, 1, 'plan', [], {}, { items: [] }, { items: [null] }])
      expect(issues(junk).length).toBeGreaterThan(0);
  });

  it('DI-070: a plan names no program of the machine; an operator does, in a registered agent', () => {
    expect(
      issues({ items: [{ id: 'a', run: { harness: 'claude-code', program: '/root/.ssh/id' } }] }),
    ).toEqual([
      'items[0].run.program: only a registered agent may name its program: a plan does not choose what of the machine is shown',
    ]);
    expect(issues({ items: [{ id: 'a', run: { harness: 'claude-code' }, prompt: 'x' }] })).toEqual([]);
  });

  it('DI-070: no plan replaces the program of the worker, its place, its identity or its credentials', () => {
    const wishes = [
      'entrypoint',
      'image',
      'workerImage',
      'target',
      'credentials',
      'secrets',
      'user',
      'mounts',
    ];
    for (const key of [...wishes, 'callback', 'notifications', 'retentionDays', 'actor']) {
      expect(issues({ items: [item('a', { [key]: 'x' })] })).toEqual([
        expect.stringContaining(`items[0]: Unrecognized key: "${key}"`),
      ]);
      expect(issues({ items: [item('a', { inputs: { [key]: 'x' } })] })).toEqual([
        expect.stringContaining(`items[0].inputs: Unrecognized key: "${key}"`),
      ]);
      expect(issues({ items: [item('a', { sandbox: { [key]: 'x' } })] })).toEqual([
        expect.stringContaining(`items[0].sandbox: Unrecognized key: "${key}"`),
      ]);
    }
  });

  it('DI-163: what no program can be given is refused, with its place', () => {
    expect(issues({ items: [item('a', { model: 'a\u0000b' })] })).toEqual([
      'items[0].model: must not contain NUL',
    ]);
  });

  it('DI-160: the field names of a plan file are accepted as they are', () => {
    const plan = {
      id: 'release',
      queue: 'default',
      items: [
        {
          id: 'a',
          executor: 'local',
          inputs: { subagent: 'coder', env: ['base'], workerInput: { n: 1 } },
          depends_on: [],
          resourceLocks: ['repo'],
        },
        {
          id: 'b',
          executor: 'local',
          inputs: { subagent: 'coder' },
          depends_on: ['a'],
          needs: { work: { from: 'a', select: { kind: 'output', path: 'x/y.txt' } } },
        },
      ],
    };
    expect(validatePlanShape(plan, OWN_SHAPES)).toMatchObject({ ok: true });
  });

  it('DI-015: ids with separators, dots or control characters are refused', () => {
    for (const id of ['', 'a/b', '../a', '..', 'a\u001fb', 'a\nb', ' a', 'x'.repeat(129)])
      expect(issues({ items: [item(id)] }).length, JSON.stringify(id)).toBeGreaterThan(0);
  });

  it('DI-042: an output path that climbs out is refused when the plan is read', () => {
    for (const path of ['../secret', '/etc/passwd', 'a/../../b', 'a\\b']) {
      expect(
        issues({
          items: [item('a'), item('b', { needs: { k: { from: 'a', select: { kind: 'output', path } } } })],
        }).length,
      ).toBe(1);
    }
  });

  it('DI-116: more outputs of one item than its record can hold are refused where they are needed, the same ones never', () => {
    const consumer = (id: string, from: string, paths: readonly string[]) =>
      item(id, {
        needs: Object.fromEntries(
          paths.map((path, i) => [`k${i}`, { from, select: { kind: 'output', path } }]),
        ),
      });
    const short = Array.from({ length: limits.outputEntries }, (_, i) => `f${i}`);
    const deep = ['x', 'y', 'z', 'w'].map((letter) => letter.repeat(250)).join('/');
    const long = Array.from({ length: 57 }, (_, i) => `${i}/${deep}`);
    const producers = [item('a'), item('b')];
    const many = (n: number, paths: readonly string[]) =>
      Array.from({ length: n }, (_, i) => consumer(`c${i}`, i % 2 === 0 ? 'a' : 'b', paths));
    expect(issues({ items: [...producers, ...many(9, short)] })).toEqual([]);
    expect(issues({ items: [...producers, ...many(9, long)] })).toEqual([]);
    expect(issues({ items: [...producers, ...many(1, [...short, 'one-more'])] })).toEqual([
      expect.stringContaining('items[2].needs.k256: too many or too long outputs of "a" are needed'),
    ]);
    expect(
      issues({
        items: [...producers, consumer('x', 'a', long), consumer('y', 'a', ['more', `more/${deep}`])],
      }),
    ).toHaveLength(1);
  });

  it('DI-163: a cycle is shown as the path it takes', () => {
    expect(
      issues({
        items: [
          item('a', { depends_on: ['c'] }),
          item('b', { depends_on: ['a'] }),
          item('c', { depends_on: ['b'] }),
          item('d', { depends_on: ['c'] }),
        ],
      }),
    ).toEqual([
      expect.stringMatching(
        /^items: dependencies form a cycle: (a -> c -> b -> a|b -> a -> c -> b|c -> b -> a -> c)$/,
      ),
    ]);
    expect(issues({ items: [item('a', { depends_on: ['a'] })] })).toEqual([
      'items: dependencies form a cycle: a -> a',
    ]);
  });

  it('DI-163: a chain of 10,000 items is valid, and closing it into a cycle is found, without overflow', () => {
    const chain = Array.from({ length: 10_000 }, (_, i) =>
      item(`i${i}`, i === 0 ? {} : { depends_on: [`i${i - 1}`] }),
    );
    expect(validatePlanShape({ items: chain }, OWN_SHAPES).ok).toBe(true);
    Object.assign(chain[0] ?? {}, { depends_on: ['i9999'] });
    expect(issues({ items: chain })[0]).toContain('dependencies form a cycle');
    expect(
      issues({ items: Array.from({ length: limits.planItems + 1 }, (_, i) => item(`i${i}`)) })[0],
    ).toContain('items');
  });

  it('DI-163: exactly the graphs that have a topological order are accepted', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.tuple(fc.nat(11), fc.nat(11)), { maxLength: 30 }),
        (n, edges) => {
          const deps = Array.from({ length: n }, () => new Set<number>());
          for (const [from, to] of edges) deps[to % n]?.add(from % n);
          const plan = {
            items: deps.map((set, i) => item(`i${i}`, { depends_on: [...set].map((d) => `i${d}`) })),
          };
          // Independent oracle: repeatedly remove items without open dependencies.
          const left = new Set(deps.keys());
          for (let again = true; again; ) {
            again = false;
            for (const i of left) {
              if ([...(deps[i] ?? [])].some((d) => left.has(d))) continue;
              left.delete(i);
              again = true;
            }
          }
          expect(validatePlanShape(plan, OWN_SHAPES).ok).toBe(left.size === 0);
        },
      ),
    );
  });

  it('offers the nearest known id for a typo and nothing for a stranger', () => {
    expect(didYouMean('biuld', ['build', 'test'])).toBe(' (did you mean "build"?)');
    expect(didYouMean('zzzzz', ['build', 'test'])).toBe('');
  });
});
