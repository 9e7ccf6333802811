import { PalisadeError } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import type { Connections, ControlPlane } from '../src/control-plane.ts';
import { cases, furnished, scenario } from './cases.ts';
import { doubleConnections } from './double/double.ts';
import { type Ended, inProcess } from './in-process.ts';

/** Screen, title, clipboard, 8-bit controls, colours, direction, and a line that looks like one of ours. */
const POISON =
  '\u001B]0;owned\u0007\u001B]52;c;cm0=\u001B\\\u009B2J\u001B[8m\u001B[31m\b\r\nFORGED   line\u2028\u202E\u200B\u0000\nFORGED';
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for
const CONTROLS = /[\0-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\u200B\uFEFF\u2028\u2029]/u;
/** They show texts of several lines as such. */
const BLOCKS = ['diff', 'logs'];
/** They draw, or ask by drawing. */
const DRAWN = ['run', 'watch', 'rerun', 'apply'];
const COLOURS = /\u001B\[(?:1|2|22|31|32|33|36|39)m/g;
const DRAWING = /\u001B\[(?:[1-7]?\d?m|\d*[ABCDGJK]|\?(?:7|25|2026)[hl])|\r/g;
/** What follows news that never come is ended after so many calls. */
const CALLS = 25;
const WINDOW = { columns: 80, rows: 30 };

type Poison = (answer: unknown) => unknown;

/** Every text under `key` as a server could send it that keeps to no declaration. */
function poisoned(value: unknown, isPoisoned: (field: string) => boolean, isBelow = false): unknown {
  if (typeof value === 'string') return isBelow ? value + POISON : value;
  if (Array.isArray(value)) return value.map((entry) => poisoned(entry, isPoisoned, isBelow));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      name,
      poisoned(entry, isPoisoned, isPoisoned(name) && (typeof entry === 'string' || Array.isArray(entry))),
    ]),
  );
}

/** The names of the fields that hold text. */
function textFields(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return [name];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) =>
    textFields(entry, Array.isArray(value) ? name : key),
  );
}

function connectionsOf(inner: Connections, poison: Poison): Connections {
  return {
    ...inner,
    async openControlPlane(options) {
      const plane = await inner.openControlPlane(options);
      let left = CALLS;
      const call: ControlPlane['call'] = async (operation, input, context) => {
        if (left-- === 0) throw new PalisadeError('invalid_state', POISON, { why: POISON, next: POISON });
        const hasWait = typeof input === 'object' && input !== null && 'wait_ms' in input;
        return poison(
          await plane.call(operation, hasWait ? { ...input, wait_ms: 0 } : input, context),
        ) as never;
      };
      return new Proxy(plane, {
        get: (target, name) => (name === 'call' ? call : bound(target, Reflect.get(target, name))),
      });
    },
  };
}

const bound = (target: object, member: unknown): unknown =>
  typeof member === 'function' ? member.bind(target) : member;

/** One command line against a server that answers as `poison` has it. */
async function shown(path: string, more: readonly string[], isTty: boolean, poison: Poison): Promise<Ended> {
  const { args, after, input = '', keys = '' } = cases[path] ?? { args: [] };
  using place = furnished(scenario());
  if (after !== undefined) await place.pal(after);
  const connections = connectionsOf(doubleConnections(place.scenarioFile, place.callsFile), poison);
  const hasWindow = isTty && input === '';
  return await inProcess([...args, ...more], connections, {
    cwd: place.directory,
    env: place.env(),
    ...(hasWindow ? { window: WINDOW, keys } : { input }),
  });
}

function expectHarmless({ stdout, stderr }: Ended, path: string, ours: RegExp | string, field: string): void {
  const rest = (stdout + stderr).replaceAll(ours, '');
  expect(rest, `pal ${path}, ${field}`).not.toMatch(CONTROLS);
  if (!BLOCKS.includes(path)) expect(rest, `pal ${path}, ${field}`).not.toMatch(/^FORGED/m);
}

describe('a server that keeps to no declaration', () => {
  for (const path of Object.keys(cases))
    it(`commands no terminal and forges no line by any field of an answer: pal ${path}`, async () => {
      const fields = new Set<string>();
      const plain = await shown(path, [], false, (answer) => {
        for (const field of textFields(answer)) fields.add(field);
        return answer;
      });
      expect(plain.stderr).not.toContain('code internal');
      for (const format of ['text', 'json', 'tsv'])
        expectHarmless(
          await shown(path, ['--format', format], false, (answer) => poisoned(answer, () => true)),
          path,
          '',
          `all fields as ${format}`,
        );
      for (const field of fields)
        expectHarmless(
          await shown(path, [], true, (answer) => poisoned(answer, (name) => name === field)),
          path,
          DRAWN.includes(path) ? DRAWING : COLOURS,
          field,
        );
    }, 60_000);
});
