import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claude, NOW, TranscriptHome } from '../../test/transcript-home.ts';
import { grepTranscripts } from './answers/grep.ts';
import { relatedTranscripts } from './answers/related.ts';
import { originOf, type RepositoryScope } from './answers/repository-scope.ts';
import { searchTranscripts } from './answers/search.ts';
import { showTranscript } from './answers/show.ts';

const PROJECT = '.claude/projects/-p';

describe('search', () => {
  it('WM-058: the best session is first, once, and what is no query is taken as a phrase', async () => {
    using home = new TranscriptHome();
    home.write(`${PROJECT}/a.jsonl`, [
      claude('user', `back to work, off we go. ${'x '.repeat(400)} retry`, { session: 's-2' }),
    ]);
    // The best is neither the session nor the message that was read first.
    home.write(`${PROJECT}/b.jsonl`, [
      claude('user', 'with a longer pause between, of which much more could be said: retry'),
      claude('assistant', 'retry with back-off, please: retry'),
      claude('user', 'and once more, which is said at a greater length than before: retry'),
    ]);
    await home.index();
    const search = (query: string): { ids: string[]; taken: string } => {
      const { data, taken_as: taken } = searchTranscripts(home.database, { query, limit: 5 });
      return { ids: data.map(({ session }) => session.id), taken };
    };
    expect(search('retry')).toEqual({ ids: ['s-1', 's-2'], taken: 'query' });
    expect(searchTranscripts(home.database, { query: 'retry', limit: 5 }).data[0]).toMatchObject({ line: 2 });
    expect(search('retry NOT pause')).toMatchObject({ taken: 'query' });
    for (const query of ['back-off', 'back-off, please:', '"back', 'back (', 'text:', '*'])
      expect(() => search(query)).not.toThrow();
    expect(search('back-off')).toEqual({ ids: ['s-1', 's-2'], taken: 'phrase' });
    // Words that no message has all of are looked for one by one.
    expect(search('longer work')).toEqual({ ids: expect.arrayContaining(['s-1', 's-2']), taken: 'any' });
    expect(search('???')).toMatchObject({ ids: [] });
  });
});

it('what a ranking leaves out is said, and one session does not crowd the others out', async () => {
  using home = new TranscriptHome();
  const many = Array.from({ length: 20_002 }, (_, at) => `ant ${at}`);
  home.write(`${PROJECT}/a.jsonl`, [claude('user', `ant ${'x '.repeat(200)}`, { session: 's-0' })]);
  home.write(
    `${PROJECT}/b.jsonl`,
    many.map((text, at) => claude('user', text, { timestamp: new Date(NOW - at).toISOString() })),
  );
  home.write(`${PROJECT}/c.jsonl`, [claude('user', `ant ${'x '.repeat(200)}`, { session: 's-2' })]);
  await home.index();
  const search = (query: string) => searchTranscripts(home.database, { query, limit: 9 });
  const { data, notes } = search('ant');
  expect(data.map(({ session }) => session.id)).toEqual(['s-1', 's-2']);
  expect(notes).toEqual([
    'more than 20,000 messages have the words: only the 20,000 that were read last were ranked',
  ]);
  expect(search('7')).toMatchObject({ data: [{ snippet: 'ant 7' }], notes: [] });
});

describe('grep', () => {
  const TEXTS = [
    'const x = a?.b ?? c; // "quoted" (once)\nif (x !== y) { return `${z}`; }',
    'path/to/file.ts:12:3 - error TS2345: Argument\nsecond line\n\tTabbed',
    "it's 100% --flag=-1 $HOME [a-z]* \\d+ ^start end$",
    'na\u00efve \u6f22\u5b57\u6f22 \u{1f600}\u{1f600}\u{1f600} \u00dcber',
    'plain words and MORE Words',
  ];

  it.each([
    ['?.b ??', ''],
    ['"quoted" (once)', ''],
    ['`${z}`', ''],
    ['file.ts:12:3', ''],
    ['--flag=-1 $HOME [a-z]*', ''],
    ['\\d+ ^start', ''],
    ['\u6f22\u5b57', ''],
    ['\u{1f600}\u{1f600}\u{1f600}', ''],
    ['words', ''],
    ['WORDS', 'i'],
    ['x', ''],
    ['absent text', ''],
    ['TS[0-9]+: Arg', 'E'],
    ['(second|plain) ', 'E'],
    ['^second', 'E'],
    ['end\\$$', 'E'],
    ['wor?ds', 'E'],
    ['wo(rd)*s', 'E'],
    ['.*error.*Argument', 'E'],
  ])('D-07: %j %s finds the lines that grep finds', async (pattern, how) => {
    using home = new TranscriptHome();
    home.write(
      `${PROJECT}/a.jsonl`,
      TEXTS.map((text, at) => claude('user', text, { timestamp: `2026-11-29T14:00:0${at}.000Z` })),
    );
    await home.index();
    const messages =
      showTranscript(home.database, 's-1', { messages: { after: 0, limit: 100 } }).messages ?? [];
    const file = join(home.directory, 'all.txt');
    writeFileSync(file, messages.map(({ text }) => `${text}\n`).join(''));
    const lines = grepLines([how === 'E' ? '-E' : how === 'i' ? '-Fi' : '-F', '--', pattern, file]);
    const options = { pattern, isExpression: how === 'E', isAnyCase: how === 'i', limit: 100 };
    const { data } = grepTranscripts(home.database, options);
    expect(data.map(({ snippet }) => snippet)).toEqual(
      lines.map((line) => line.replaceAll(/\s+/g, ' ').trim()),
    );
  });

  it('says what is no expression, and whether there is more', async () => {
    using home = new TranscriptHome();
    home.write(`${PROJECT}/a.jsonl`, [claude('user', 'one\ntwo\nthree one')]);
    await home.index();
    expect(() => grepTranscripts(home.database, { pattern: '(', isExpression: true, limit: 1 })).toThrow(
      'no regular expression',
    );
    expect(grepTranscripts(home.database, { pattern: 'one', limit: 1 })).toMatchObject({
      has_more: true,
      data: [{ line: 1 }],
    });
  });
});

function grepLines(args: readonly string[]): readonly string[] {
  try {
    const out = execFileSync('grep', args, { env: { LC_ALL: 'C.UTF-8', PATH: process.env['PATH'] ?? '' } });
    return out.toString('utf8').split('\n').slice(0, -1);
  } catch (error) {
    if ((error as { status?: number }).status === 1) return [];
    throw error;
  }
}

describe('related', () => {
  const scope: RepositoryScope = {
    workTree: '/home/ada/shop',
    folders: ['/home/ada/shop', '/home/ada/shop-fix'],
    origin: 'example.org/ada/shop',
    branch: 'topic',
  };
  const related = (home: TranscriptHome, more: object = {}): [string, number][] =>
    relatedTranscripts(home.database, {
      scope,
      directory: '/home/ada/shop',
      files: [],
      limit: 10,
      now: NOW,
      ...more,
    }).data.map(({ session, score }) => [session.id, score]);
  const edit = (path: string, more: Record<string, unknown>): object =>
    claude('assistant', [{ type: 'tool_use', id: 't', name: 'Edit', input: { file_path: path } }], more);

  async function shop(): Promise<TranscriptHome> {
    const home = new TranscriptHome();
    const old = '2026-06-01T00:00:00.000Z';
    home.write(`${PROJECT}/1.jsonl`, [
      edit('/home/ada/shop-fix/src/cart.ts', {
        session: 'tree',
        cwd: '/home/ada/shop-fix',
        gitBranch: 'topic',
        timestamp: old,
      }),
    ]);
    home.write(`${PROJECT}/2.jsonl`, [
      claude('user', 'look at src/cart.ts for the discount', {
        session: 'below',
        cwd: '/home/ada/shop/web',
        timestamp: old,
      }),
    ]);
    home.write(`${PROJECT}/3.jsonl`, [claude('user', 'nothing of it', { session: 'same', timestamp: old })]);
    home.write(`${PROJECT}/4.jsonl`, [
      edit('/home/ada/shoplift/src/cart.ts', {
        session: 'other',
        cwd: '/home/ada/shoplift',
        gitBranch: 'topic',
        timestamp: '2026-12-01T11:59:00.000Z',
      }),
    ]);
    home.write(`${PROJECT}/4b.jsonl`, [
      claude('user', 'src/cart.ts discount', {
        session: 'other2',
        cwd: '/srv',
        timestamp: '2026-12-01T11:59:00.000Z',
      }),
    ]);
    await home.index();
    return home;
  }

  it('WM-059, L-25, D-07: only sessions of the repository, by what they have to do with the files and words asked for', async () => {
    using home = await shop();
    expect(related(home)).toEqual([
      ['tree', 100],
      ['same', 80],
      ['below', 45],
    ]);
    expect(related(home, { files: ['src/cart.ts'] })).toEqual([
      ['tree', 170],
      ['below', 70],
    ]);
    expect(related(home, { query: 'discount' })).toEqual([['below', 53]]);
    expect(related(home, { query: 'unheard' })).toEqual([]);
    // A session elsewhere, however recent, is only there when it is asked for.
    expect(related(home, { query: 'discount', isEverywhere: true })).toEqual([
      ['below', 53],
      ['other2', 20],
    ]);
  });

  it('origins are compared by what they lead to', () => {
    for (const url of [
      'git@Example.org:ada/shop.git',
      'https://ada:x@example.org/ada/shop',
      'ssh://git@example.org/ada/shop.git/',
    ])
      expect(originOf(url)).toBe('example.org/ada/shop');
    expect(originOf('')).toBeNull();
  });
});
