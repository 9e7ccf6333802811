import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TranscriptIndexReport } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { claude, NOW, TranscriptHome } from '../../test/transcript-home.ts';
import { searchTranscripts } from './answers/search.ts';

const INDEX_ONCE = fileURLToPath(new URL('../../test/index-transcripts-once.ts', import.meta.url));
const FILES = 80;
const MESSAGES = 60;

function filled(): TranscriptHome {
  const home = new TranscriptHome();
  for (let file = 0; file < FILES; file++)
    home.write(
      `.claude/projects/p/${file}.jsonl`,
      Array.from({ length: MESSAGES }, (_, at) =>
        claude('assistant', `file${file} message${at} ${'of words that are indexed '.repeat(40)}`, {
          session: `s-${file}`,
        }),
      ),
    );
  return home;
}

function start({ directory }: TranscriptHome) {
  return spawn(process.execPath, [INDEX_ONCE, directory, String(NOW)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Every file is there whole or not at all, and the index of words holds the messages and no others. */
function assertWhole({ database }: TranscriptHome): number {
  const counts = database.all<{ n: number; sessions: number }>(
    `SELECT count(*) AS n, (SELECT count(*) FROM sessions WHERE sessions.source = messages.source) AS sessions
     FROM messages GROUP BY source`,
  );
  expect(counts.filter(({ n, sessions }) => n !== MESSAGES || sessions !== 1)).toEqual([]);
  expect(database.get('SELECT count(*) AS n FROM sources')).toEqual({ n: counts.length });
  database.run("INSERT INTO message_words (message_words, rank) VALUES ('integrity-check', 1)");
  return counts.length;
}

describe('several processes', () => {
  it('WM-056: that index at once read each file once between them', async () => {
    using home = filled();
    const reports = await Promise.all(
      Array.from({ length: 2 }, async () => {
        const child = start(home);
        const pieces: Buffer[] = [];
        child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
        expect(await once(child, 'close')).toEqual([0, null]);
        return JSON.parse(Buffer.concat(pieces).toString()) as TranscriptIndexReport;
      }),
    );
    const sum = (of: 'added' | 'failed') => reports.reduce((total, report) => total + report[of], 0);
    expect([sum('added'), sum('failed')]).toEqual([FILES, 0]);
    expect(assertWhole(home)).toBe(FILES);
    const { data } = searchTranscripts(home.database, { query: 'file7', limit: 9 });
    expect(data.map(({ session }) => session.id)).toEqual(['s-7']);
  });

  it('WM-056, L-04: one that is killed leaves whole files, while another goes on and after', async () => {
    using home = filled();
    const known = () => home.database.get<{ n: number }>('SELECT count(*) AS n FROM sources')?.n ?? 0;
    for (const [at, files] of [3, 20, 40].entries()) {
      const [killed, other] = [start(home), start(home)];
      const [killedEnd, otherEnd] = [once(killed, 'close'), once(other, 'close')];
      for (const child of [killed, other]) child.stdout.resume();
      while (known() < files) await delay(1);
      killed.kill('SIGKILL');
      if (at < 2) other.kill('SIGKILL');
      expect(await killedEnd).toEqual([null, 'SIGKILL']);
      expect(await otherEnd).toEqual(at < 2 ? [null, 'SIGKILL'] : [0, null]);
      const whole = assertWhole(home);
      if (at < 2) expect(whole).toBeLessThan(FILES);
      else expect(whole).toBe(FILES);
    }
    expect(await home.index()).toMatchObject({ added: 0, unchanged: FILES, failed: 0 });
  });
});
