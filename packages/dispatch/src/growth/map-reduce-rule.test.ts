import { isName } from '@palisade/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  frozen,
  outputs,
  type SimulatedEnd,
  SimulatedRun,
  template,
  verdict,
} from '../../test/simulated-run.ts';
import type { FrozenGrowth, FrozenItem } from '../plans/frozen-plan.ts';
import { keysOf } from './grown-name.ts';

const rule = (minDone: number | null = null, more: object = {}): FrozenGrowth => ({
  kind: 'map-reduce',
  map: template({ title: 'Map', locks: ['gpu'] }),
  needsKey: 'input',
  outputPath: 'result',
  reduce: template(),
  keyPrefix: 'part',
  minDone,
  ...more,
});
const splitter = (growth = rule(), id = 'split') => frozen(id, [], { growth });
const parts = (...paths: string[]): SimulatedEnd => ({ state: 'done', product: outputs(...paths) });
const DONE: SimulatedEnd = { state: 'done', product: outputs('result') };
const ends = (special: Record<string, SimulatedEnd>) => (item: FrozenItem) => special[item.id] ?? DONE;

describe('map and reduce', () => {
  it('DI-202: every output becomes a map in the order of names, and the reduction gets their results', () => {
    const run = new SimulatedRun([splitter()]);
    expect(run.run(ends({ split: parts('b', 'a') }))).toBe(true);
    expect(run.ids).toEqual(['split', 'map-a', 'map-b', 'reduce']);
    expect(run.item('map-a')).toMatchObject({
      title: 'Map',
      locks: ['gpu'],
      dependsOn: ['split'],
      needs: [{ key: 'input', from: 'split', select: { kind: 'output', path: 'a' } }],
      grownBy: 'split',
    });
    expect(run.item('reduce')).toMatchObject({
      dependsOn: ['map-a', 'map-b'],
      needs: [
        { key: 'part-a', from: 'map-a', select: { kind: 'output', path: 'result' } },
        { key: 'part-b', from: 'map-b', select: { kind: 'output', path: 'result' } },
      ],
    });
    expect(run.item('reduce').atLeastDone).toBeUndefined();
  });

  it('DI-202: without a policy one failed map fails the run, and nothing is reduced', () => {
    const run = new SimulatedRun([splitter()]);
    expect(run.run(ends({ split: parts('a', 'b'), 'map-a': { state: 'failed' } }))).toBe(false);
    expect(run.states()['reduce']).toBe('skipped');
  });

  it('DI-202: with enough of them done the reduction stands in for the maps that failed', () => {
    const items = [splitter(rule(2))];
    const split = parts('a', 'b', 'c');
    const run = new SimulatedRun(items);
    expect(run.run(ends({ split, 'map-a': { state: 'failed' } }), (ready) => ready)).toBe(true);
    expect(run.facts('map-a').settledBy).toBe('reduce');
    expect(run.facts('map-b').settledBy).toBeNull();
    const short = new SimulatedRun(items);
    const bad = { 'map-a': { state: 'failed' as const }, 'map-c': { state: 'failed' as const } };
    expect(short.run(ends({ split, ...bad }))).toBe(false);
    expect(short.states()['reduce']).toBe('failed');
    const broken = new SimulatedRun(items);
    expect(broken.run(ends({ split, 'map-a': { state: 'failed' }, reduce: { state: 'failed' } }))).toBe(
      false,
    );
  });

  it('DI-202: a splitter that left nothing, too little, a cut list, or is red is refused and says so', () => {
    const refusedBy = (end: SimulatedEnd, growth = rule()) => {
      const run = new SimulatedRun([splitter(growth)]);
      expect(run.run(ends({ split: end }))).toBe(false);
      expect(run.ids).toEqual(['split']);
      return run.refused;
    };
    expect(refusedBy({ state: 'done' })).toEqual([
      'split left no outputs: there is nothing to map (it has to write files to outputs/)',
    ]);
    expect(refusedBy(parts('a'), rule(2))).toEqual(['split left 1 parts, and at least 2 have to be done']);
    const cut = {
      ...outputs('a', 'outputs.json'),
      warnings: ['3 of 4 outputs are left out of the record; outputs.json lists all'],
    };
    expect(refusedBy({ state: 'done', product: cut })).toEqual([
      'split left more outputs, or longer names, than a record has room for',
    ]);
    expect(refusedBy({ state: 'done', product: { ...outputs('a'), ...verdict(false) } })).toEqual([
      'the self-check of split failed: its parts are not used',
    ]);
    expect(refusedBy({ state: 'failed', product: outputs('a') })).toEqual([]);
  });

  it('DI-202: names that are taken, several splitters and repeated ones get names of their own', () => {
    const taken = new SimulatedRun([splitter(), frozen('map-a')]);
    expect(taken.run(ends({ split: parts('a') }))).toBe(true);
    expect(taken.ids).toEqual(['split', 'map-a', 'split::map-a', 'split::reduce']);
    const two = [
      splitter(rule(null, { isPrefixed: true }), 's1'),
      splitter(rule(null, { isPrefixed: true }), 's2'),
    ];
    const run = new SimulatedRun(two);
    expect(run.run(ends({ s1: parts('a'), s2: parts('a') }), (ready) => ready)).toBe(true);
    expect(run.item('s2::reduce').dependsOn).toEqual(['s2::map-a']);
  });

  it('DI-202: a key is a name, the same for the same path whatever else there is, and no two are equal', () => {
    const path = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
      fc.stringMatching(/^[ab./~-]{1,6}$/),
      fc.constantFrom('parts/a.csv', 'parts-a.csv', '..', 'a..b', 'ä', 'x'.repeat(300)),
    );
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 40 }), path, (paths, one) => {
        const keys = keysOf([...paths, one]);
        const values = [...keys.values()];
        expect(new Set(values).size).toBe(values.length);
        for (const key of values)
          expect(isName(`map-${key}`) && isName(`${'k'.repeat(64)}-${key}`)).toBe(true);
        expect(keys.get(one)).toBe(keysOf([one]).get(one));
      }),
    );
    const hashed = keysOf(['parts/a']).get('parts/a') ?? '';
    const both = keysOf(['parts/a', hashed]);
    expect(both.get(hashed)).toBe(hashed);
    expect(both.get('parts/a')).not.toBe(hashed);
  });

  it('DI-202: whichever maps fail, the run ends well exactly when enough are done', () => {
    const row = fc.record({
      bad: fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
      minDone: fc.option(fc.integer({ min: 1, max: 6 })),
      together: fc.integer({ min: 1, max: 6 }),
    });
    fc.assert(
      fc.property(row, ({ bad, minDone, together }) => {
        const run = new SimulatedRun([splitter(rule(minDone))]);
        const special: Record<string, SimulatedEnd> = { split: parts(...bad.map((_, i) => `p${i}`)) };
        bad.forEach((isBad, i) => {
          if (isBad) special[`map-p${i}`] = { state: i % 2 === 0 ? 'failed' : 'canceled' };
        });
        const good = bad.filter((isBad) => !isBad).length;
        expect(run.run(ends(special), () => together)).toBe(good >= (minDone ?? bad.length));
      }),
    );
  });
});
