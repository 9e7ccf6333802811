import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { claude, TranscriptHome } from '../../test/transcript-home.ts';
import { searchTranscripts } from './answers/search.ts';
import { showTranscript } from './answers/show.ts';
import { openTranscripts } from './open-transcripts.ts';
import { MAX_LINE_BYTES, readLines } from './reading/line-reader.ts';

const PROJECT = '.claude/projects/-home-ada-shop';
const join2 = (...parts: string[]): string => parts.join('');

function details(home: TranscriptHome, name = 's-1'): ReturnType<typeof showTranscript> {
  return showTranscript(home.database, name, { messages: { after: 0, limit: 1000 } });
}

it('L-12, FF-074: lines of several megabytes are whole, with what is wide at every edge of a read', async () => {
  using home = new TranscriptHome();
  const wide = '\u{1f600}\u6f22\u00e9x'.repeat(400_000);
  home.write(`${PROJECT}/a.jsonl`, [
    claude('user', `start ${wide.slice(0, 1001)} needle-before`),
    claude('user', [{ type: 'text', text: wide }]),
    claude('assistant', 'needle-after'),
  ]);
  await home.index();
  const session = details(home);
  expect(session.reading).toMatchObject({ lines: 3, malformed_lines: 0, oversized_lines: 0 });
  expect(session.messages?.[1]?.text).toMatch(
    /^(?:\u{1f600}\u6f22\u00e9x)+(?:\u{1f600}\u6f22\u00e9|\u{1f600}\u6f22|\u{1f600})? \[\d+ characters cut\]$/u,
  );
  for (const { text } of session.messages ?? []) expect(text.isWellFormed()).toBe(true);
  for (const { bytes, size, isEnded } of fileLines(join(home.directory, PROJECT, 'a.jsonl'))) {
    expect(isEnded).toBe(true);
    expect(bytes).toHaveLength(size);
    expect(() => JSON.parse(bytes.toString('utf8'))).not.toThrow();
  }
});

function* fileLines(path: string): ReturnType<typeof readLines> {
  const descriptor = openSync(path, 'r');
  try {
    yield* readLines(descriptor, 0, readFileSync(path).length, 0);
  } finally {
    closeSync(descriptor);
  }
}

it('FF-150, FF-152: a line above the cap is a stub with its size, a file above it has its head and its tail', async () => {
  using home = new TranscriptHome();
  const path = home.write(`${PROJECT}/a.jsonl`, [claude('user', 'the headword')]);
  const descriptor = openSync(path, 'r+');
  const image = Buffer.from(`{"timestamp":"2026-11-29T14:00:01.000Z","type":"user","image":"`);
  const start = readFileSync(path).length;
  writeSync(descriptor, image, 0, image.length, start);
  const long = MAX_LINE_BYTES + 5;
  writeSync(descriptor, Buffer.from(`\n`), 0, 1, start + long);
  const tail = Buffer.from(`\n${JSON.stringify(claude('assistant', 'the tailword'))}\n`);
  // Sparse: five billion bytes that take no room.
  writeSync(descriptor, tail, 0, tail.length, 5_000_000_000);
  closeSync(descriptor);
  await home.index({ quietMs: 0, maxReadBytes: 40 * 1024 * 1024 });
  const session = details(home);
  expect(session).toMatchObject({
    truncated: true,
    first_user_message: 'the headword',
    last_agent_message: 'the tailword',
  });
  expect(session.messages?.[1]).toMatchObject({
    role: 'omitted',
    line: 2,
    at: Date.UTC(2026, 10, 29, 14, 0, 1),
    text: `a record of ${long} bytes, which is not read`,
  });
  expect(session.reading.skipped_bytes).toBeGreaterThan(4_900_000_000);
  expect(searchTranscripts(home.database, { query: 'tailword', limit: 1 }).data).toHaveLength(1);
  // Nothing of it is read again before it changes.
  expect(await home.index({ quietMs: 0 })).toMatchObject({ unchanged: 1 });
});

it('FF-150: reading holds a line and a chunk, whatever the file holds', () => {
  using home = new TranscriptHome();
  const path = home.write('large.jsonl', 'x');
  const descriptor = openSync(path, 'r+');
  ftruncateSync(descriptor, 150_000_000);
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (const { size } of readLines(descriptor, 0, 150_000_000, 0)) {
    expect(size).toBe(150_000_000);
    most = process.memoryUsage().arrayBuffers - before;
  }
  closeSync(descriptor);
  expect(most).toBeLessThan(4 * MAX_LINE_BYTES);
});

it('FF-070, FF-072, FF-073, L-19: NULs, half characters and bytes of other encodings are text that can be kept', async () => {
  using home = new TranscriptHome();
  const rows = [
    JSON.stringify(claude('user', 'zero\0zero')),
    JSON.stringify(claude('assistant', 'half \ud83d of one')),
    JSON.stringify(
      claude('user', [
        { type: 'tool_result', tool_use_id: 't', content: `${'\u{1f600}'.repeat(30_000)}end` },
      ]),
    ),
    JSON.stringify(claude('user', `${'y'.repeat(49_980)}${'\u{1f600}'.repeat(50)}`)),
  ];
  const bytes = Buffer.concat([
    Buffer.from(`${rows.join('\n')}\n`),
    Buffer.from('{"type":"user","sessionId":"s-1","message":{"content":"latin \xe9 \xff"}}\n', 'latin1'),
    Buffer.from('\0\0\0\0\n'),
  ]);
  home.write(`${PROJECT}/a.jsonl`, bytes);
  await home.index();
  const { messages = [], reading } = details(home);
  expect(messages.map(({ text }) => text.slice(0, 14))).toEqual([
    'zero\ufffdzero',
    'half \ufffd of one',
    '\u{1f600}'.repeat(7),
    'y'.repeat(14),
    'latin \ufffd \ufffd',
  ]);
  expect(messages[2]?.text).toMatch(/end$/);
  for (const { text } of messages) {
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toContain('\0');
    expect(text.length).toBeLessThan(51_000);
  }
  expect(reading.malformed_lines).toBe(1);
});

it('WM-055, L-17: a credential is on no surface: title, folder, branch, command, file, error, message, path', async () => {
  using home = new TranscriptHome();
  const secret = join2('gh', 'p_', 'Zz9Yy8Xx7'.repeat(4));
  const use = (input: object): object => ({ type: 'tool_use', id: 't1', name: `run ${secret}`, input });
  home.write(`${PROJECT}/x-${secret}.jsonl`, [
    claude('user', `deploy with ${secret}`, {
      cwd: `/home/${secret}`,
      gitBranch: secret,
      version: secret,
      entrypoint: secret,
    }),
    claude('assistant', [
      { type: 'thinking', thinking: secret },
      { type: 'text', text: secret },
      use({ command: `echo ${secret}`, file_path: `/tmp/${secret}` }),
      use({ command: 'x', password: 'hunter2', nested: { api_key: secret } }),
    ]),
    claude('user', [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content: `error: ${secret}` }]),
    { type: 'ai-title', sessionId: 's-1', aiTitle: `title ${secret}` },
    // The cap falls into it.
    claude('user', `${'x '.repeat(24_990)}${secret}`),
  ]);
  await home.index();
  const session = details(home);
  expect(session.title).toBe('title <redacted:github-token>');
  const answers = JSON.stringify([session, searchTranscripts(home.database, { query: 'deploy', limit: 3 })]);
  expect(answers).not.toContain('Zz9Yy8');
  expect(answers).not.toContain('hunter2');
  for (const suffix of ['', '-wal'])
    expect(readFileSync(`${home.database.path}${suffix}`).includes('Zz9Yy8')).toBe(false);
});

it('WM-054, L-13: what is kept of a session has a bound', async () => {
  using home = new TranscriptHome();
  const rows = Array.from({ length: 400 }, (_, at) => claude('user', `${at} ${'w'.repeat(49_000)}`));
  const calls = Array.from({ length: 500 }, (_, at) =>
    claude('assistant', [
      { type: 'tool_use', id: `t${at}`, name: `n${at}`, input: { command: `c${at}`, path: `/p/${at}` } },
    ]),
  );
  home.write(`${PROJECT}/a.jsonl`, [...rows, ...calls]);
  await home.index();
  const session = showTranscript(home.database, 's-1');
  expect(session).toMatchObject({ truncated: true, message_count: 900 });
  expect([session.commands.length, session.tool_names.length, session.title.length]).toEqual([300, 200, 240]);
  const kept = home.database.get<{ n: number }>('SELECT sum(length(text)) AS n FROM messages')?.n ?? 0;
  expect(kept).toBeLessThan(8_500_000);
});

it('FF-151: folders whose names are written alike are told apart by what the records say', async () => {
  using home = new TranscriptHome();
  for (const [at, name] of ['a_b', 'a-b', 'a.b'].entries())
    home.write(`.claude/projects/-home-a-b/${at}.jsonl`, [
      claude('user', 'hi', { session: `s${at}`, cwd: `/home/${name}` }),
    ]);
  await home.index();
  expect(['s0', 's1', 's2'].map((id) => showTranscript(home.database, id).cwd)).toEqual([
    '/home/a_b',
    '/home/a-b',
    '/home/a.b',
  ]);
});

it('L-15: the database of Codex is asked for what it has, and left as it is', async () => {
  using home = new TranscriptHome();
  home.put('codex/rollout-exec-command.jsonl', '.codex/sessions/2026/11/29/rollout-1.jsonl');
  const id = '01a227cb-32b8-70f0-89d6-c80466a14fcd';
  const state = (version: number, columns: string, values: string): void => {
    const database = new DatabaseSync(join(home.directory, `.codex/state_${version}.sqlite`));
    database.exec(
      columns === ''
        ? 'CREATE TABLE other (id)'
        : `CREATE TABLE threads (${columns}); INSERT INTO threads VALUES (${values})`,
    );
    database.close();
  };
  state(4, '', '');
  expect((await home.index()).notes).toEqual([]);
  state(5, 'id, title, git_branch, tokens_used', `'${id}', 'Named by Codex', 'topic', 7750`);
  await home.index();
  expect(showTranscript(home.database, id)).toMatchObject({
    title: 'Named by Codex',
    git_branch: 'topic',
    tokens_used: 7750,
    usage: { input_tokens: 7500, output_tokens: 250 },
  });
  home.write('.codex/state_6.sqlite', 'no database');
  expect((await home.index()).notes.join()).toContain('state_6.sqlite is left out');
});

it('the index is for its user alone, also in a folder of everybody', async () => {
  using home = new TranscriptHome();
  const path = join(home.directory, 'open', 't.db');
  mkdirSync(join(home.directory, 'open'), { mode: 0o777 });
  using database = openTranscripts({ env: { PALISADE_TRANSCRIPTS_DB: path }, create: true });
  home.write(`${PROJECT}/a.jsonl`, [claude('user', 'mine')]);
  await home.index({ database });
  for (const suffix of ['', '-wal', '-shm']) expect(statSync(`${path}${suffix}`).mode & 0o077).toBe(0);
});

it('FF-069, L-14: what cannot be stored of one file is said, and a database that is ill ends the call', async () => {
  using home = new TranscriptHome();
  for (const name of ['a', 'b', 'c'])
    home.write(`${PROJECT}/${name}.jsonl`, [claude('user', `${name}word`, { session: name })]);
  home.database.run(
    `CREATE TEMP TRIGGER fault BEFORE INSERT ON messages WHEN new.text = 'bword' BEGIN SELECT raise(ABORT, 'planted'); END`,
  );
  const report = await home.index();
  expect(report).toMatchObject({ failed: 1, session_count: 2, message_count: 2 });
  expect(report.notes.join()).toContain('b.jsonl is left out: planted');
  home.database.run('DROP TRIGGER fault');
  // Nothing half is left of it, so it is read the next time.
  expect(await home.index()).toMatchObject({ added: 1, session_count: 3 });
});
