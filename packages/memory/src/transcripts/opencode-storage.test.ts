import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { NOW, OPENCODE, TranscriptHome } from '../../test/transcript-home.ts';
import { listTranscripts } from './answers/list.ts';
import { searchTranscripts } from './answers/search.ts';
import { showTranscript } from './answers/show.ts';
import { transcriptStats } from './answers/stats.ts';
import { databasePlaces } from './opencode/session-database.ts';
import { MAX_LINE_BYTES } from './reading/line-reader.ts';
import { SessionWriter } from './session-writer.ts';
import { addSource } from './store/sources.ts';

const DATABASE = `${OPENCODE}/opencode.db`;
/** All of them were recorded with the same script, some hours after the other fixtures. */
const LATER = { now: NOW + 86_400_000 };

const FORMS = [
  {
    form: 'files of 1.1.65',
    put: (home: TranscriptHome) => home.putOpenCodeFiles(),
    id: 'ses_dcdcf438dffePjX0pt7au0nbHx',
  },
  {
    form: 'the database of 1.2.27',
    put: (home: TranscriptHome) => home.putOpenCodeDatabase('1.2.27'),
    id: 'ses_dcdcf1ac7ffecz4lJHPnexwbE7',
  },
  {
    form: 'the database of 1.18.33',
    put: (home: TranscriptHome) => home.putOpenCodeDatabase('1.18.33'),
    id: 'ses_dcdd07addffeFuqSEpSyz51tqW',
  },
] as const;

function only(home: TranscriptHome): ReturnType<typeof showTranscript> {
  const [session] = listTranscripts(home.database, { limit: 2 }).data;
  return showTranscript(home.database, session?.id ?? '', { messages: { after: 0, limit: 1000 } });
}

/** Changes the database as OpenCode would, at a time. */
function change(home: TranscriptHome, sql: string, at = LATER.now - 3_600_000, ...values: string[]): void {
  const path = join(home.directory, DATABASE);
  const database = new DatabaseSync(path);
  database.prepare(sql.replaceAll('$at', String(at))).run(...values);
  database.close();
  utimesSync(path, at / 1000, at / 1000);
}

describe.each(FORMS)('$form', ({ put, id }) => {
  it('WM-050, WM-053: a recorded session is what its export is', async () => {
    using home = new TranscriptHome();
    put(home);
    expect(await home.index(LATER)).toMatchObject({ added: 1, failed: 0, unclaimed: 0, notes: [] });
    const session = only(home);
    expect(session).toMatchObject({
      id,
      harness: 'opencode',
      cwd: '/workspace',
      title: 'calc file',
      model: 'fake-model',
      model_provider: 'fake',
      status: 'complete',
      truncated: false,
      files_touched: ['/workspace/calc.py'],
      tool_names: ['write', 'bash', 'edit'],
      usage: { input_tokens: 4500, output_tokens: 150 },
      last_agent_message: 'Done: calc.py adds two numbers and the check prints 5.',
      reading: { unknown_records: 0, malformed_lines: 0, oversized_lines: 0, lines: 6 },
    });
    expect(session.first_user_message).toContain('Write calc.py');
    expect(session.messages?.map(({ line, role }) => `${line} ${role}`).slice(0, 5)).toEqual([
      '1 user',
      '2 assistant',
      '2 tool_call',
      '2 tool_result',
      '3 assistant',
    ]);
    expect(await home.index(LATER)).toMatchObject({ unchanged: 1, added: 0, read_bytes: 0 });
  });
});

describe('the database', () => {
  const SESSION = FORMS[2].id;
  const said = (text: string): [string, number, string, string] => [
    `INSERT INTO part (id, message_id, session_id, time_created, time_updated, data)
     SELECT 'prt_zz' || (SELECT count(*) FROM part), m.id, m.session_id, $at, $at, ? FROM message m WHERE m.id = ?`,
    LATER.now - 3_600_000,
    JSON.stringify({ type: 'text', text }),
    'msg_zzz',
  ];
  const asked =
    (text: string) =>
    (home: TranscriptHome): void => {
      change(
        home,
        `INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES ('msg_zzz', '${SESSION}', $at, $at, ?)`,
        LATER.now - 3_600_000,
        JSON.stringify({ role: 'user', time: { created: LATER.now - 3_600_000 } }),
      );
      change(home, ...said(text));
    };

  it('L-16: a session that grew is read on, and one that is being written waits', async () => {
    using home = new TranscriptHome();
    home.putOpenCodeDatabase('1.18.33');
    await home.index(LATER);
    const { message_count: before } = only(home);
    asked('and now with zebras')(home);
    expect(await home.index({ now: LATER.now - 3_599_000 })).toMatchObject({ busy: 1 });
    const report = await home.index(LATER);
    expect(report).toMatchObject({ appended: 1, rewritten: 0 });
    expect(report.read_bytes).toBeLessThan(300);
    expect(only(home)).toMatchObject({ message_count: before + 1, reading: { lines: 7 }, status: 'seen' });
    expect(searchTranscripts(home.database, { query: 'zebras', limit: 2 }).data).toMatchObject([{ line: 7 }]);
    // A part that is added to what was read makes all of it be read anew.
    change(home, ...said('and okapis'));
    expect(await home.index(LATER)).toMatchObject({ appended: 0, rewritten: 1 });
    expect(only(home).message_count).toBe(before + 2);
  });

  it('FF-144: what is undone or deleted leaves no trace', async () => {
    using home = new TranscriptHome();
    home.putOpenCodeDatabase('1.18.33');
    asked('the quokkaword')(home);
    await home.index(LATER);
    change(home, "DELETE FROM part WHERE message_id = 'msg_zzz'");
    change(home, "DELETE FROM message WHERE id = 'msg_zzz'");
    expect(await home.index(LATER)).toMatchObject({ rewritten: 1, session_count: 1 });
    expect(readFileSync(home.database.path).includes('quokkaword')).toBe(false);
    change(home, 'DELETE FROM session');
    expect(await home.index(LATER)).toMatchObject({ removed: 1, session_count: 0, message_count: 0 });
  });

  it('L-15: schemas of other versions are asked for what they have; what lacks the least is said and nothing is lost', async () => {
    using home = new TranscriptHome();
    const path = home.putOpenCodeDatabase('1.18.33');
    for (const column of ['agent', 'model', 'time_updated', 'time_created', 'parent_id', 'version', 'title'])
      change(home, `ALTER TABLE session DROP COLUMN ${column}`);
    for (const table of ['message', 'part']) {
      change(home, `ALTER TABLE ${table} DROP COLUMN time_updated`);
      change(home, `ALTER TABLE ${table} DROP COLUMN time_created`);
    }
    change(home, 'DROP TABLE project');
    change(home, 'ALTER TABLE part ADD COLUMN later TEXT');
    expect(await home.index(LATER)).toMatchObject({ added: 1, failed: 0 });
    expect(only(home)).toMatchObject({ cwd: '/workspace', status: 'complete', model: 'fake-model' });
    home.write('.claude/projects/p/a.jsonl', [{ type: 'user', sessionId: 'c', message: { content: 'hi' } }]);
    change(home, 'ALTER TABLE part RENAME TO piece');
    const report = await home.index(LATER);
    expect(report).toMatchObject({ failed: 1, added: 1, removed: 0, session_count: 2 });
    expect(report.notes.join()).toContain('opencode.db is left out: it has no part.id');
    writeFileSync(path, 'this is no database at all, and long enough to be looked at as one '.repeat(100));
    rmSync(`${path}-wal`, { force: true });
    expect(await home.index(LATER)).toMatchObject({ failed: 1, session_count: 2 });
    rmSync(path);
    expect(await home.index(LATER)).toMatchObject({ failed: 0, removed: 1, session_count: 1 });
  });

  it('WM-055, L-17: keys of accounts are not read, and what is read is redacted; the database stays as it is', async () => {
    using home = new TranscriptHome();
    const path = home.putOpenCodeDatabase('1.18.33');
    const secret = ['gh', 'p_', 'Zz9Yy8Xx7'.repeat(4)].join('');
    change(
      home,
      `INSERT INTO account (id, email, url, access_token, refresh_token, time_created, time_updated) VALUES ('a', 'e', 'u', ?, 'refreshcanary', 1, 1)`,
      undefined,
      'accesscanary',
    );
    change(home, 'UPDATE session SET title = ?, time_updated = $at', undefined, `title ${secret}`);
    asked(`use ${secret}`)(home);
    const before = readFileSync(path);
    await home.index(LATER);
    expect(readFileSync(path)).toEqual(before);
    expect(only(home).title).toBe('title <redacted:github-token>');
    for (const suffix of ['', '-wal']) {
      const kept = readFileSync(`${home.database.path}${suffix}`);
      for (const canary of ['Zz9Yy8', 'accesscanary', 'refreshcanary'])
        expect(kept.includes(canary)).toBe(false);
    }
  });

  it('L-13, FF-150, FF-152: a part above the cap is a stub, a session above it has its head and its tail', async () => {
    using home = new TranscriptHome();
    home.putOpenCodeDatabase('1.18.33');
    asked('the tailword')(home);
    change(home, ...said('x'.repeat(MAX_LINE_BYTES)));
    await home.index(LATER);
    expect(only(home)).toMatchObject({ truncated: true, reading: { oversized_lines: 1 } });
    expect(only(home).messages?.at(-1)?.text).toMatch(/^a record of 8388\d{3} bytes, which is not read$/);
    await home.index({ ...LATER, isForced: true, maxReadBytes: 4000 });
    expect(only(home)).toMatchObject({ truncated: true });
    expect(only(home).reading.skipped_bytes).toBeGreaterThan(4000);
    expect(only(home).first_user_message).toContain('Write calc.py');
  });

  it('texts that are no JSON and times that are none are counted and change nothing else', async () => {
    using home = new TranscriptHome();
    home.putOpenCodeDatabase('1.18.33');
    asked('fine')(home);
    change(home, "UPDATE part SET data = '{half' WHERE message_id = 'msg_zzz'");
    change(home, "UPDATE session SET time_updated = 'yesterday'");
    change(home, 'UPDATE message SET time_updated = 9223372036854775807');
    expect(await home.index(LATER)).toMatchObject({ added: 1, failed: 0 });
    expect(only(home).reading.malformed_lines).toBe(1);
  });

  it('a database while its program has it open and writes is read, from its log too', async () => {
    using home = new TranscriptHome();
    const path = home.putOpenCodeDatabase('1.18.33');
    const program = new DatabaseSync(path);
    program.exec("BEGIN IMMEDIATE; UPDATE session SET title = 'renamed in the log'");
    expect(await home.index(LATER)).toMatchObject({ added: 1, failed: 0 });
    const at = LATER.now - 3_600_000;
    program.exec(`UPDATE session SET time_updated = ${at}; COMMIT`);
    // The log alone is newer: until it is written back the database keeps its time.
    utimesSync(path, NOW / 1000, NOW / 1000);
    utimesSync(`${path}-wal`, at / 1000, at / 1000);
    expect(await home.index({ now: at + 1000 })).toMatchObject({ busy: 1 });
    expect(await home.index(LATER)).toMatchObject({ appended: 1 });
    expect(only(home).title).toBe('renamed in the log');
    program.close();
  });

  it('what is read of a session is of the moment it was opened at, whatever is deleted meanwhile', async () => {
    using home = new TranscriptHome();
    const path = home.putOpenCodeDatabase('1.18.33');
    await home.index(LATER);
    const { message_count: before } = only(home);
    const [place] = databasePlaces(path);
    using source = place?.open();
    change(home, 'DELETE FROM part');
    change(home, 'DELETE FROM message');
    await home.database.write(async () => {
      const id = addSource(home.database, 'again', 1, path);
      const writer = new SessionWriter(home.database, id);
      const progress = { reader: undefined, lines: 0, unknown: 0, malformed: 0, oversized: 0, skipped: 0 };
      const { signal } = new AbortController();
      await source?.read({ from: undefined, harness: undefined, progress, writer, signal });
      writer.finish();
      expect(home.database.get('SELECT count(*) AS n FROM messages WHERE source = ?', id)).toEqual({
        n: before,
      });
    });
  });

  it('side conversations belong to the session that began them', async () => {
    using home = new TranscriptHome();
    home.putOpenCodeDatabase('1.18.33');
    change(
      home,
      `INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, agent, time_created, time_updated) VALUES ('ses_side', 'p', ?, 's', '/workspace', 'looks', '1', 'explore', $at, $at)`,
      undefined,
      SESSION,
    );
    await home.index(LATER);
    expect(showTranscript(home.database, SESSION)).toMatchObject({ side_count: 1, sides: ['ses_side'] });
  });
});

describe('files', () => {
  const storage = (home: TranscriptHome, ...path: string[]): string =>
    join(home.directory, OPENCODE, 'storage', ...path);
  const [SESSION] = FORMS.map(({ id }) => id);
  const takeOver = (home: TranscriptHome): void => {
    change(home, `UPDATE session SET id = '${SESSION}'`);
    for (const table of ['message', 'part']) change(home, `UPDATE ${table} SET session_id = '${SESSION}'`);
  };

  it('a part that is broken, or no file, costs that part; a session that is broken costs that session', async () => {
    using home = new TranscriptHome();
    home.putOpenCodeFiles();
    const message = readdirSync(storage(home, 'part')).toSorted()[1] ?? '';
    writeFileSync(storage(home, 'part', message, 'prt_zz1.json'), '{"type":"text","te');
    mkdirSync(storage(home, 'part', message, 'prt_zz2.json'));
    const other = 'session/global/ses_other.json';
    home.write(`${OPENCODE}/storage/${other}`, '{"id":');
    const report = await home.index({ ...LATER, quietMs: 0 });
    expect(report).toMatchObject({ added: 1, failed: 1, session_count: 1 });
    expect(report.notes.join()).toContain(`${other} is left out`);
    expect(only(home)).toMatchObject({ id: SESSION, reading: { malformed_lines: 1 }, status: 'complete' });
  });

  it('L-16, FF-144: a message more is read on, a message less makes it be read anew', async () => {
    using home = new TranscriptHome();
    home.putOpenCodeFiles();
    await home.index(LATER);
    const at = NOW - 3_000_000;
    const add = { id: 'msg_zzz', role: 'user', time: { created: at } };
    home.write(`${OPENCODE}/storage/message/${SESSION}/msg_zzz.json`, JSON.stringify(add), at);
    home.write(`${OPENCODE}/storage/part/msg_zzz/prt_1.json`, '{"type":"text","text":"a wombat"}', at);
    expect(await home.index(LATER)).toMatchObject({ appended: 1 });
    expect(searchTranscripts(home.database, { query: 'wombat', limit: 2 }).data).toHaveLength(1);
    rmSync(storage(home, 'message', SESSION ?? '', 'msg_zzz.json'));
    expect(await home.index(LATER)).toMatchObject({ rewritten: 1 });
    expect(searchTranscripts(home.database, { query: 'wombat', limit: 2 }).data).toHaveLength(0);
    expect(await home.index(LATER)).toMatchObject({ unchanged: 1 });
  });

  it('what a newer version took over into its database is there once, and what it left behind is read', async () => {
    using home = new TranscriptHome();
    home.putOpenCodeFiles();
    await home.index(LATER);
    home.putOpenCodeDatabase('1.2.27');
    expect(await home.index(LATER)).toMatchObject({ added: 1, unchanged: 1, session_count: 2 });
    takeOver(home);
    expect(await home.index(LATER)).toMatchObject({ removed: 2, added: 1, session_count: 1 });
    expect(transcriptStats(home.database)).toMatchObject({ sessions: 1 });
  });

  it('FF-144: while a database cannot be read, what it may have taken over is not added and nothing is dropped', async () => {
    using home = new TranscriptHome();
    home.putOpenCodeFiles();
    const path = home.putOpenCodeDatabase('1.2.27');
    takeOver(home);
    expect(await home.index(LATER)).toMatchObject({ added: 1, session_count: 1 });
    const nothing = { failed: 2, added: 0, removed: 0, session_count: 1 };
    change(home, 'ALTER TABLE message RENAME COLUMN data TO later');
    const report = await home.index(LATER);
    expect(report).toMatchObject(nothing);
    expect(report.notes.join()).toContain(`/storage is left out: ${path}: it has no message.data`);
    change(home, 'ALTER TABLE message RENAME COLUMN later TO data');
    const program = new DatabaseSync(path);
    program.exec(
      'PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; UPDATE session SET title = title; COMMIT',
    );
    expect(await home.index(LATER)).toMatchObject(nothing);
    program.close();
    expect(await home.index(LATER)).toMatchObject({ failed: 0, added: 0, session_count: 1 });
    // What was read of the files stays as well.
    rmSync(path);
    expect(await home.index(LATER)).toMatchObject({ added: 1, removed: 1, session_count: 1 });
    writeFileSync(path, 'no database');
    expect(await home.index(LATER)).toMatchObject(nothing);
    // A link is not followed, so nothing is there twice.
    renameSync(path, `${path}.old`);
    symlinkSync(`${path}.old`, path);
    expect(await home.index(LATER)).toMatchObject({ failed: 0, unchanged: 1, session_count: 1 });
  });

  it('both are found in an included folder, of another machine too, and in nothing else beside them', async () => {
    using home = new TranscriptHome();
    home.putOpenCodeFiles('archive/a');
    home.putOpenCodeDatabase('1.18.33', 'archive/b/opencode-local.db');
    home.write(`${OPENCODE}/auth.json`, '{"key":"canary"}');
    const report = await home.index({ ...LATER, include: [`${home.directory}/archive`], machine: 'laptop' });
    expect(report).toMatchObject({ added: 2, unclaimed: 0, failed: 0 });
    expect(listTranscripts(home.database, { machine: 'laptop', limit: 9 }).data).toHaveLength(2);
    renameSync(join(home.directory, 'archive/b'), join(home.directory, 'archive/c'));
    expect(await home.index(LATER)).toMatchObject({ renamed: 1, removed: 0 });
    expect(statSync(join(home.directory, `${OPENCODE}/auth.json`)).isFile()).toBe(true);
  });
});
