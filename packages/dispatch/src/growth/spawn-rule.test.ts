import { isName } from '@palisade/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frozen, outputs, PATCH, SimulatedRun, template, verdict } from '../../test/simulated-run.ts';
import type { FrozenGrowth } from '../plans/frozen-plan.ts';

const rule = (more: object = {}): FrozenGrowth => ({
  kind: 'spawn',
  from: 'items.json',
  template: template({ prompt: 'by the plan', model: 'small', input: { own: 1 } }),
  max: 3,
  ...more,
});
function play(list: unknown, growth = rule(), product: object = outputs('items.json')) {
  const run = new SimulatedRun([frozen('scout', [], { growth })]);
  const text = list === undefined ? undefined : typeof list === 'string' ? list : JSON.stringify(list);
  const good = run.run((item) =>
    item.id === 'scout'
      ? { state: 'done', product, ...(text === undefined ? {} : { text }) }
      : { state: 'done', product: PATCH },
  );
  return { run, good };
}
function refusal(list: unknown, growth = rule()): string {
  const { run, good } = play(list, growth);
  expect(good).toBe(false);
  expect(run.ids).toEqual(['scout']);
  expect(run.refused).toHaveLength(1);
  return run.refused[0] ?? '';
}

describe('spawn', () => {
  it('DI-200: a list becomes items of the one template, which waits for nothing it was not given', () => {
    const { run, good } = play([
      { id: 'b', depends_on: ['a', 'a'], prompt: 'do b' },
      { id: 'a', input: { n: [1] } },
    ]);
    expect(good).toBe(true);
    expect(run.ids).toEqual(['scout', 'scout::b', 'scout::a']);
    expect(run.item('scout::b')).toMatchObject({
      dependsOn: ['scout', 'scout::a'],
      prompt: 'do b',
      model: 'small',
      input: { own: 1 },
      grownBy: 'scout',
    });
    expect(run.item('scout::a')).toMatchObject({ prompt: 'by the plan', input: { n: [1] } });
    expect(run.started).toEqual(['scout', 'scout::a', 'scout::b']);
  });

  it('DI-200: join waits for all and builds on their patches; with none it follows the item itself', () => {
    const growth = rule({ join: template() });
    const { run } = play([{ id: 'a' }, { id: 'b' }], growth);
    expect(run.item('scout::join')).toMatchObject({
      dependsOn: ['scout::a', 'scout::b'],
      needs: [
        { key: 'work-1', from: 'scout::a', select: { kind: 'patch' }, apply: true },
        { key: 'work-2', from: 'scout::b', select: { kind: 'patch' }, apply: true },
      ],
    });
    expect(play([], growth).run.item('scout::join').dependsOn).toEqual(['scout']);
    expect(play([]).good).toBe(true);
  });

  it('DI-200: what is no such list is refused, and the reason says where', () => {
    const said = (list: unknown) =>
      refusal(list).replace('scout wanted items that cannot be: outputs/items.json: ', '');
    expect(said('{')).toBe('is not JSON');
    expect(said({ id: 'a' })).toBe('is not an array');
    expect(said([{ id: 'a' }, { id: 'a' }])).toBe('two items are called a');
    expect(said([{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }])).toBe(
      'names 4 items, and 3 are allowed',
    );
    expect(said([{ id: 'a', depends_on: ['scout'] }])).toBe('a depends on scout, which is not in the list');
    expect(
      said([
        { id: 'a', depends_on: ['b'] },
        { id: 'b', depends_on: ['a'] },
      ]),
    ).toBe('its items wait for each other in a circle');
    expect(said([{ id: 'a', depends_on: ['a'] }])).toBe('its items wait for each other in a circle');
    expect(said([{ id: 'join' }])).toBe('the id join is taken');
    expect(said([{}])).toMatch(/^entry 0: id: /);
    expect(said([{ id: '../x' }])).toMatch(/^entry 0: id: must/);
    expect(said(`[${'['.repeat(100_000)}${']'.repeat(100_000)}]`)).toMatch(/deep/);
    expect(said(`"${'x'.repeat(300_000)}"`)).toBe('is larger than 262144 bytes');
    expect(refusal(undefined)).toBe(
      'scout wanted items that cannot be: it left no list (outputs/items.json)',
    );
  });

  it('DI-200: an agent chooses nothing of an item but its name, its words and its order', () => {
    for (const key of [
      'command',
      'run',
      'agent',
      'executor',
      'sandbox',
      'inputs',
      'model',
      'needs',
      'retry',
      'shape',
      'verify',
      '__proto__',
    ])
      expect(refusal(`[{"id": "a", ${JSON.stringify(key)}: "x"}]`)).toMatch(/entry 0: it: Unrecognized key/);
  });

  it('DI-200: a red owner and a failed one make nothing', () => {
    const red = play([{ id: 'a' }], rule(), { ...outputs('items.json'), ...verdict(false) });
    expect([red.good, red.run.ids.length]).toEqual([false, 1]);
    expect(red.run.refused).toEqual(['scout wanted items that cannot be: its self-check failed']);
  });

  it('DI-200: any text is refused or makes at most so many items with sound ids', () => {
    const entry = fc.record(
      {
        id: fc.oneof(fc.stringMatching(/^[a-c]{1,2}$/), fc.string()),
        depends_on: fc.array(fc.stringMatching(/^[a-c]$/)),
      },
      { requiredKeys: [] },
    );
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.array(entry, { maxLength: 5 }).map((list) => JSON.stringify(list)),
    );
    fc.assert(
      fc.property(text, (list) => {
        const { run, good } = play(list);
        expect(run.ids.length).toBeLessThanOrEqual(4);
        expect(run.ids.every(isName)).toBe(true);
        expect(good).toBe(run.refused.length === 0);
      }),
    );
  });
});
