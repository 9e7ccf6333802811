import { expect, it } from 'vitest';
import * as z from 'zod';
import { nearest } from './nearest.ts';
import { zodIssues } from './schema.ts';

it.each([
  ['comand', ['command', 'commit'], 'command'],
  ['itms', ['items', 'title'], 'items'],
  ['stauts', ['status', 'start'], 'status'],
  ['plan.jsn', ['plan.json', 'plan.md'], 'plan.json'],
  ['paln.json', ['plan.json', 'other.json'], 'plan.json'],
  ['aa', ['a', 'b'], 'a'],
  ['harden-rel', ['harden-release'], 'harden-release'],
])('DI-261: %s resembles one of %j', (word, candidates, meant) => {
  expect(nearest(word, candidates)).toBe(meant);
});

it.each([
  ['q', ['x', 'y']],
  ['p.json', ['ev.json', 'x.json']],
  ['no', ['it']],
  ['3.json', ['4.json']],
  ['zebra', ['command', 'items']],
])('DI-261: %s resembles none of %j', (word, candidates) => {
  expect(nearest(word, candidates)).toBeUndefined();
});

it('DI-261: an unknown name is told with the nearest known at its place, whatever the schema is wrapped in, and a missing one as missing', () => {
  const schema = z.strictObject({
    items: z.array(
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('a'), command: z.string().optional() }),
        z.strictObject({
          kind: z.literal('b'),
          commit: z.record(z.string(), z.strictObject({ depth: z.int() })),
        }),
      ]),
    ),
  });
  const told = (value: unknown): string[] => {
    const { error } = schema.safeParse(value);
    return error === undefined
      ? []
      : zodIssues(error, { schema, value }).map(({ path, message }) => `${path}: ${message}`);
  };
  expect(told({ items: [{ kind: 'a', comand: 'x' }] })).toEqual([
    'items[0]: Unrecognized key: "comand" (did you mean "command"?)',
  ]);
  expect(told({ items: [{ kind: 'b', commit: { x: { dept: 1 } } }] })).toEqual([
    'items[0].commit.x.depth: is missing',
    'items[0].commit.x: Unrecognized key: "dept" (did you mean "depth"?)',
  ]);
  expect(told({ itms: [] })).toEqual([
    'items: is missing',
    '(top): Unrecognized key: "itms" (did you mean "items"?)',
  ]);
  expect(told({ items: [], constructor: 2 })).toEqual(['(top): Unrecognized key: "constructor"']);
});
