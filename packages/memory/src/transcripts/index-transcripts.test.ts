import {
  appendFileSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claude, NOW, TranscriptHome } from '../../test/transcript-home.ts';
import { listTranscripts } from './answers/list.ts';
import { searchTranscripts } from './answers/search.ts';
import { showTranscript } from './answers/show.ts';
import { transcriptStats } from './answers/stats.ts';
import { openTranscripts } from './open-transcripts.ts';

const PROJECT = '.claude/projects/-home-ada-shop';
const line = (record: object): string => `${JSON.stringify(record)}\n`;
const quiet = (file: string, at = NOW - 1_800_000): void => utimesSync(file, at / 1000, at / 1000);

function found(home: TranscriptHome, query: string): string[] {
  return searchTranscripts(home.database, { query, limit: 10 }).data.map(({ session }) => session.id);
}

function texts(home: TranscriptHome, name: string): string[] {
  return (showTranscript(home.database, name, { messages: { after: 0, limit: 1000 } }).messages ?? []).map(
    ({ text }) => text,
  );
}

describe('what changed', () => {
  it('WM-057, L-16: what was read is not read again, and what is being written waits', async () => {
    using home = new TranscriptHome();
    home.write(`${PROJECT}/a.jsonl`, [claude('user', 'quiet words')]);
    home.write(`${PROJECT}/b.jsonl`, [claude('user', 'busy words', { session: 's-2' })], NOW - 30_000);
    expect(await home.index()).toMatchObject({ added: 1, busy: 1 });
    expect(await home.index()).toMatchObject({ added: 0, unchanged: 1, busy: 1, read_bytes: 0 });
    expect(await home.index({ quietMs: 0 })).toMatchObject({ added: 1, unchanged: 1 });
    expect(await home.index({ isForced: true, quietMs: 0 })).toMatchObject({
      rewritten: 2,
      message_count: 2,
    });
  });

  it('what another process read meanwhile is not read again', async () => {
    using home = new TranscriptHome();
    for (let at = 0; at < 5; at++)
      home.write(`${PROJECT}/${at}.jsonl`, [claude('user', `word ${at}`, { session: `s-${at}` })]);
    using other = openTranscripts({ env: home.env });
    const reports = [
      await home.index({ since: NOW }),
      await home.index(),
      await home.index({ database: other }),
    ];
    expect(reports.map(({ added }) => added)).toEqual([0, 5, 0]);
    expect(reports[2]).toMatchObject({ unchanged: 5, message_count: 5 });
  });

  it('a file that grew is read on from its last whole line, and half a line is taken when it is whole', async () => {
    using home = new TranscriptHome();
    const whole = line(claude('user', 'first things'));
    const second = line(claude('assistant', 'second things \u{1f40d}'));
    const file = home.write(`${PROJECT}/a.jsonl`, whole);
    await home.index();
    const bytes = Buffer.from(second);
    // The cut is within the character of four bytes.
    const cut = bytes.indexOf(Buffer.from('\u{1f40d}')) + 2;
    appendFileSync(file, bytes.subarray(0, cut));
    quiet(file);
    expect(await home.index()).toMatchObject({ appended: 1, message_count: 1 });
    appendFileSync(file, bytes.subarray(cut));
    quiet(file, NOW - 900_000);
    expect(await home.index()).toMatchObject({ appended: 1, read_bytes: bytes.length });
    expect(texts(home, 's-1')).toEqual(['first things', 'second things \u{1f40d}']);
    expect(showTranscript(home.database, 's-1').reading).toMatchObject({ lines: 2, malformed_lines: 0 });
  });

  it('a last line without line feed is taken once', async () => {
    using home = new TranscriptHome();
    const file = home.write(`${PROJECT}/a.jsonl`, JSON.stringify(claude('user', 'only once')));
    await home.index();
    appendFileSync(file, `\n${line(claude('user', 'and more'))}`);
    quiet(file);
    await home.index();
    expect(texts(home, 's-1')).toEqual(['only once', 'and more']);
  });

  it('FF-144: what is deleted, moved out or redacted leaves no trace, in answers or in the file of the index', async () => {
    using home = new TranscriptHome();
    const [gone, moved, redacted, kept] = ['gone', 'moved', 'redacted', 'kept'].map((name) =>
      home.write(`${PROJECT}/${name}.jsonl`, [claude('user', `the ${name}word of it`, { session: name })]),
    ) as [string, string, string, string];
    await home.index();
    rmSync(gone);
    renameSync(moved, join(home.directory, 'moved.jsonl'));
    // In place, with the same length.
    writeFileSync(redacted, readFileSync(redacted, 'utf8').replace('redactedword', 'xxxxxxxxxxxx'));
    quiet(redacted);
    expect(await home.index()).toMatchObject({ removed: 2, rewritten: 1, unchanged: 1 });
    for (const word of ['goneword', 'movedword', 'redactedword']) {
      expect(found(home, word)).toEqual([]);
      for (const suffix of ['', '-wal'])
        expect(readFileSync(`${home.database.path}${suffix}`).includes(word)).toBe(false);
    }
    expect(found(home, 'keptword')).toEqual(['kept']);
    rmSync(kept);
    rmSync(redacted);
    expect(await home.index()).toMatchObject({ removed: 2, session_count: 0, message_count: 0 });
    for (const table of ['sources', 'usage', 'session_files', 'message_words'])
      expect(home.database.get(`SELECT count(*) AS n FROM ${table}`)).toEqual({ n: 0 });
  });

  it('FF-147: a transcript that is renamed is read on, one that is cut short is read anew; both are said', async () => {
    using home = new TranscriptHome();
    const file = home.write(`${PROJECT}/a.jsonl`, [claude('user', 'one'), claude('assistant', 'two')]);
    await home.index();
    const renamed = file.replace('a.jsonl', 'b.jsonl');
    renameSync(file, renamed);
    appendFileSync(renamed, line(claude('user', 'three')));
    quiet(renamed);
    const after = await home.index();
    expect(after).toMatchObject({ renamed: 1, appended: 1, added: 0, removed: 0, message_count: 3 });
    expect(after.notes.join()).toContain('b.jsonl was renamed');
    truncateSync(renamed, line(claude('user', 'one')).length + 100);
    quiet(renamed, NOW - 900_000);
    const cut = await home.index();
    expect(cut).toMatchObject({ rewritten: 1, message_count: 1 });
    expect(cut.notes.join()).toContain('b.jsonl was rewritten');
    expect(texts(home, 's-1')).toEqual(['one']);
  });

  it('D-07, FF-146: two files of one session are two, and one can change without the other', async () => {
    using home = new TranscriptHome();
    const one = home.write('.claude/projects/-one/same.jsonl', [claude('user', 'apples')]);
    home.write('.claude/projects/-two/same.jsonl', [claude('user', 'pears')]);
    await home.index();
    appendFileSync(one, line(claude('user', 'quinces')));
    quiet(one);
    await home.index();
    for (const word of ['apples', 'pears', 'quinces']) expect(found(home, word)).toEqual(['s-1']);
    expect(() => showTranscript(home.database, 's-1')).toThrow('2 transcripts have "s-1"');
    const [session] = listTranscripts(home.database, { limit: 1 }).data;
    expect(showTranscript(home.database, session?.key ?? '').key).toBe(session?.key);
  });

  it('D-07: an archive of another machine is read whatever its age, kept while it is away, and forgotten on demand', async () => {
    using home = new TranscriptHome();
    const old = home.write('archive/x.jsonl', [claude('user', 'olden days')], Date.UTC(2020, 0, 1));
    const archive = join(home.directory, 'archive');
    await home.index({ include: [archive], machine: 'laptop' });
    expect(listTranscripts(home.database, { limit: 5, machine: 'laptop' }).data).toHaveLength(1);
    rmSync(archive, { recursive: true });
    const away = await home.index();
    expect(away.notes.join()).toContain('is not there');
    expect(found(home, 'olden')).toEqual(['s-1']);
    expect(await home.index({ forget: [archive] })).toMatchObject({ session_count: 0 });
    await expect(home.index({ include: [old] })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('what is counted', () => {
  const usage = { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 5 };

  it('FF-148, FF-149: an answer that is in several files is counted once, and all of them can be read', async () => {
    using home = new TranscriptHome();
    const answer = (session: string): object =>
      claude('assistant', 'shared answer', { session, id: 'msg_1', usage });
    home.write(`${PROJECT}/a.jsonl`, [claude('user', 'ask'), answer('s-1'), answer('s-1')]);
    home.write(`${PROJECT}/b.jsonl`, [
      answer('s-2'),
      claude('assistant', 'own', { session: 's-2', id: 'msg_2', usage }),
    ]);
    await home.index();
    const stats = transcriptStats(home.database);
    expect(stats.usage).toMatchObject({ input_tokens: 200, output_tokens: 40, cache_read_tokens: 10 });
    expect(stats).toMatchObject({ repeated_answers: 1, by_model: [{ model: 'model-1', answers: 2 }] });
    expect(texts(home, 's-1')).toEqual(['ask', 'shared answer']);
    expect(showTranscript(home.database, 's-2').usage?.output_tokens).toBe(40);
    expect(found(home, 'shared').toSorted()).toEqual(['s-1', 's-2']);
    // Without the first the other still counts.
    rmSync(join(home.directory, PROJECT, 'a.jsonl'));
    await home.index();
    expect(transcriptStats(home.database).usage?.output_tokens).toBe(40);
  });

  it('FF-145: a side branch that replays its parent under new request ids adds only what is its own', async () => {
    using home = new TranscriptHome();
    const side = { isSidechain: true, agentId: 'helper' };
    home.write(`${PROJECT}/a.jsonl`, [
      claude('user', 'ask'),
      claude('assistant', 'answer', { id: 'msg_1', requestId: 'r1', usage }),
      claude('assistant', 'answer', { id: 'msg_1', requestId: 'r2', usage, isSidechain: true }),
    ]);
    home.write(`${PROJECT}/a/subagents/h.jsonl`, [
      claude('assistant', 'answer', { id: 'msg_1', requestId: 'r3', usage, ...side }),
      claude('assistant', 'aside', { id: 'msg_2', requestId: 'r4', usage, ...side }),
    ]);
    await home.index();
    expect(transcriptStats(home.database)).toMatchObject({
      sessions: 1,
      side_conversations: 1,
      usage: { input_tokens: 200, output_tokens: 40 },
    });
    expect(texts(home, 's-1')).toEqual(['ask', 'answer']);
  });

  it('WM-051: what no reader knows is counted, and nothing of it is fatal', async () => {
    using home = new TranscriptHome();
    home.write(`${PROJECT}/a.jsonl`, [
      claude('user', 'ask'),
      { type: 'of-tomorrow', sessionId: 's-1', secret: 1 },
      {
        type: 'assistant',
        sessionId: 's-1',
        message: { content: [null, 7, { type: 'text', text: {} }], usage: [] },
      },
      { type: 'user', sessionId: 's-1', message: { content: { a: 1 } } },
    ]);
    appendFileSync(join(home.directory, PROJECT, 'a.jsonl'), 'no json\n[1]\n\n   \n');
    quiet(join(home.directory, PROJECT, 'a.jsonl'));
    home.write(`${PROJECT}/other.jsonl`, [{ hello: 1 }]);
    expect(await home.index()).toMatchObject({ added: 1, unclaimed: 1, failed: 0 });
    expect(showTranscript(home.database, 's-1').reading).toMatchObject({
      unknown_records: 1,
      malformed_lines: 2,
    });
    expect(await home.index()).toMatchObject({ unchanged: 2 });
  });
});
