import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { claude, TranscriptHome } from '../../test/transcript-home.ts';
import { grepTranscripts } from './answers/grep.ts';
import { searchTranscripts } from './answers/search.ts';

/*
 * Against the `grep` program over the same generated transcripts: which messages have a text. What is generated is
 * written in JSON as it is, so that a line of the file has a text where its message has it.
 */

const PROJECT = '.claude/projects/-p';
const WORDS = [
  'cart',
  'carton',
  'Cart',
  'a',
  'total',
  'sub-total',
  'TS2345',
  'x_y',
  'x.y',
  'über',
  '漢字',
  'zażółć',
  'kelvin',
  '\u212aelvin',
  'ſum',
];
const GLUE = [' ', ' ', ', ', '-', '::', '(', ') ', '.', '=', '#', '/'];

const text = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...GLUE)), { minLength: 1, maxLength: 30 })
  .map((pieces) => pieces.flat().join('').trim());
const sessions = fc.array(fc.array(text, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 8 });
const literal = fc.oneof(
  fc.constantFrom(...WORDS, 'art', 'ota', 'S234', 'zqx', '字', 'elvin', 'carto', 'cartx'),
  text.chain((whole) =>
    fc
      .tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 12 }))
      .map(([at, length]) => whole.slice(at, at + length)),
  ),
);
const regular = fc.constantFrom(
  '[ct]art',
  'to(tal)?',
  'TS[0-9]+',
  'x[._]y',
  'cart|über',
  'sub-?total',
  '^a',
  '.*::a',
  'c.r.o',
  '[0-9]{4}',
);

/** Indexes what grew one message after the other: each turn reads every file on by one. */
async function written(all: readonly (readonly string[])[]): Promise<TranscriptHome> {
  const home = new TranscriptHome();
  for (let turn = 0; all.some((texts) => texts.length > turn); turn++) {
    for (const [at, texts] of all.entries())
      if (texts.length > turn) home.write(`${PROJECT}/${at}.jsonl`, texts.slice(0, turn + 1).map(record(at)));
    await home.index();
  }
  return home;
}

const record = (session: number) => (text: string, line: number) => ({
  ...claude('user', text, { session: `s-${session}`, cwd: '/0', gitBranch: '0', version: '0' }),
  timestamp: new Date(Date.UTC(2026, 10, 1) + line * 1000).toISOString(),
  uuid: '0',
});

/** Where grep finds something in what the messages say: `SESSION:LINE` of each. */
function found(home: TranscriptHome, flags: string, expression: string): string[] {
  const folder = join(home.directory, PROJECT);
  const files = readdirSync(folder).map((name) => join(folder, name));
  // Only what is between the quotes of the content is said.
  const said = spawnSync('grep', ['-onP', '"content":"\\K[^"]*', '--with-filename', '--', ...files], {
    encoding: 'utf8',
    env: { LC_ALL: 'C.UTF-8', PATH: process.env['PATH'] ?? '' },
  });
  const lines = said.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [, file, at, text] = /(\d+)\.jsonl:(\d+):(.*)$/.exec(line) ?? [];
      return { place: `s-${file}:${at}`, text };
    });
  const hits = spawnSync('grep', ['-n', flags, '--', expression], {
    input: lines.map((line) => `${line.text}\n`).join(''),
    encoding: 'utf8',
    env: { LC_ALL: 'C.UTF-8', PATH: process.env['PATH'] ?? '' },
  });
  if (hits.status === 2) throw new Error(hits.stderr);
  const numbers = hits.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => Number.parseInt(line, 10));
  return numbers.map((number) => lines[number - 1]?.place ?? '').toSorted();
}

const ids = (each: readonly string[]): string[] => [...new Set(each)].toSorted();

it('D-07, WM-058: transcript grep finds the messages that grep finds, and none else', async () => {
  await fc.assert(
    fc.asyncProperty(
      sessions,
      fc.array(literal, { minLength: 4, maxLength: 8 }),
      regular,
      async (all, literals, expression) => {
        using home = await written(all);
        const ours = (options: { pattern: string; isExpression?: boolean; isAnyCase?: boolean }) =>
          grepTranscripts(home.database, { ...options, limit: 1000 })
            .data.map(({ session_id: id, line }) => `${id}:${line}`)
            .toSorted();
        for (const pattern of literals)
          expect(ours({ pattern }), pattern).toEqual(found(home, '-F', pattern));
        const ascii = literals.find((each) => /^[ -~]+$/.test(each) && !/[ksKS]/.test(each)) ?? 'CART';
        expect(ours({ pattern: ascii, isAnyCase: true }), ascii).toEqual(found(home, '-Fi', ascii));
        expect(ours({ pattern: expression, isExpression: true }), expression).toEqual(
          found(home, '-E', expression),
        );
      },
    ),
    { numRuns: 25 },
  );
});

it('WM-058: transcript search finds the sessions in which grep finds the word, and none else', async () => {
  await fc.assert(
    fc.asyncProperty(sessions, async (all) => {
      using home = await written(all);
      // The index takes diacritics and case for none, so only words are asked for that no other is alike.
      for (const word of ['carton', 'total', 'TS2345', '漢字', 'absent'])
        expect(
          ids(
            searchTranscripts(home.database, { query: word, limit: 1000 }).data.map(
              ({ session }) => session.id,
            ),
          ),
          word,
        ).toEqual(ids(found(home, '-w', word).map((place) => place.split(':')[0] ?? '')));
    }),
    { numRuns: 15 },
  );
});

it('a letter of ASCII in another case is found in either, whatever block it is in', async () => {
  using home = await written([['\u212aelvin'], ['ſum of it'], ['KELVIN', 'SUM'], ['nothing']]);
  const ours = (pattern: string) =>
    ids(
      grepTranscripts(home.database, { pattern, isAnyCase: true, limit: 9 }).data.map(
        ({ session_id: id }) => id,
      ),
    );
  expect(ours('kelvin')).toEqual(['s-0', 's-2']);
  expect(ours('Sum')).toEqual(['s-1', 's-2']);
});

it('WM-058: what is nowhere is ruled out and what is anywhere is found, in long sessions and in those that grew', async () => {
  using home = new TranscriptHome();
  const lines = Array.from({ length: 400 }, (_, at) =>
    claude('user', `part${at} ${`w${at}ord `.repeat(400)}in${at}side`),
  );
  const path = `${PROJECT}/a.jsonl`;
  home.write(path, lines.slice(0, 150));
  await home.index();
  home.write(path, lines.slice(0, 160));
  await home.index();
  home.write(path, lines);
  expect(await home.index()).toMatchObject({ appended: 1 });
  const lineOf = (pattern: string) =>
    grepTranscripts(home.database, { pattern, limit: 9 }).data.map(({ line }) => line);
  for (const at of [0, 60, 149, 150, 159, 160, 250, 399]) expect(lineOf(`n${at}sid`)).toEqual([at + 1]);
  expect(lineOf('n400sid')).toEqual([]);
  const blocks = home.database.all<{ first: number; last: number }>(
    'SELECT first, last FROM text_blocks ORDER BY first',
  );
  expect(blocks.length).toBeGreaterThan(2);
  for (const [at, { first }] of blocks.entries()) expect(first).toBe((blocks[at - 1]?.last ?? 0) + 1);
  home.write(path, lines.slice(0, 1).concat(claude('user', 'anew')));
  await home.index();
  expect(home.database.get('SELECT count(*) AS n FROM text_blocks')).toEqual({ n: 1 });
  expect([lineOf('n399sid'), lineOf('new')]).toEqual([[], [2]]);
});

it('D-07: of sessions that grew in turn every message is found', async () => {
  const text = 'fix the retry bug';
  using home = await written([[text, text], [text]]);
  const blocks = home.database.all('SELECT source, first, last FROM text_blocks ORDER BY first');
  expect(blocks).toMatchObject([
    { first: 1, last: 3 },
    { first: 2, last: 2 },
  ]);
  for (const options of [{ pattern: text }, { pattern: 'fix the (retry) bug', isExpression: true }])
    expect(grepTranscripts(home.database, { ...options, limit: 9 }).data).toMatchObject([
      { session_id: 's-0', line: 1 },
      { session_id: 's-0', line: 2 },
      { session_id: 's-1', line: 1 },
    ]);
});
