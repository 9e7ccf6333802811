import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TranscriptIndexReport } from '@palisade/contracts';
import { expect, it } from 'vitest';
import { claude, NOW, OPENCODE, TranscriptHome } from '../../test/transcript-home.ts';
import { filePlace } from './reading/read-source.ts';

const PROJECT = '.claude/projects/p';
const INDEX_ONCE = fileURLToPath(new URL('../../test/index-transcripts-once.ts', import.meta.url));

/** In a process of its own, which is ended when it waits: opening a pipe would hold up everything in this one. */
async function indexed(home: TranscriptHome): Promise<TranscriptIndexReport> {
  const child = spawn(process.execPath, [INDEX_ONCE, home.directory, String(NOW)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 30_000,
  });
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  expect(await once(child, 'close')).toEqual([0, null]);
  return JSON.parse(Buffer.concat(pieces).toString()) as TranscriptIndexReport;
}

const pipe = (path: string): unknown => execFileSync('mkfifo', [path]);

it('L-14, L-16: pipes, sockets, devices and links are left out with a word, and nothing waits for them', async () => {
  using home = new TranscriptHome();
  const folder = join(home.directory, PROJECT, '/');
  const at = (name: string): string => join(folder, name);
  home.write(`${PROJECT}/a.jsonl`, [claude('user', 'a word')]);
  pipe(at('pipe.jsonl'));
  symlinkSync(at('a.jsonl'), at('link.jsonl'));
  symlinkSync('/dev/zero', at('endless.jsonl'));
  symlinkSync(at('loop2.jsonl'), at('loop1.jsonl'));
  symlinkSync(at('loop1.jsonl'), at('loop2.jsonl'));
  symlinkSync('.', at('self'));
  const server = createServer().listen(at('socket.jsonl'));
  await once(server, 'listening');
  const report = await indexed(home);
  server.close();
  expect(report).toMatchObject({ added: 1, failed: 0, session_count: 1 });
  expect(report.notes.map((note) => note.slice(folder.length))).toEqual([
    'endless.jsonl is a link and left out',
    'link.jsonl is a link and left out',
    'loop1.jsonl is a link and left out',
    'loop2.jsonl is a link and left out',
    'pipe.jsonl is a pipe and left out',
    'self is a link and left out',
    'socket.jsonl is a socket and left out',
  ]);
});

it('what became a pipe or a link since it was found is not waited for and not followed', () => {
  using home = new TranscriptHome();
  const at = (name: string): string => join(home.directory, name);
  mkdirSync(at('folder.jsonl'));
  pipe(at('pipe.jsonl'));
  symlinkSync('/dev/zero', at('link.jsonl'));
  for (const [name, why] of [
    ['pipe.jsonl', 'is no regular file'],
    ['folder.jsonl', 'is no regular file'],
    ['link.jsonl', 'ELOOP'],
  ] as const)
    expect(() => filePlace(at(name)).open()).toThrow(why);
  expect(() => filePlace('/dev/zero').open()).toThrow('is no regular file');
});

it('a pipe in the place of a database, of a message or of an included file holds nothing up', async () => {
  using home = new TranscriptHome();
  home.putOpenCodeFiles();
  const session = 'ses_dcdcf438dffePjX0pt7au0nbHx';
  pipe(join(home.directory, OPENCODE, 'storage/message', session, 'msg_zzz.json'));
  pipe(join(home.directory, OPENCODE, 'opencode.db'));
  mkdirSync(join(home.directory, '.codex'));
  pipe(join(home.directory, '.codex/state_5.sqlite'));
  pipe(join(home.directory, 'included.jsonl'));
  await home.index({ include: [join(home.directory, 'included.jsonl')] });
  const report = await indexed(home);
  expect(report).toMatchObject({ session_count: 1, failed: 0 });
  for (const name of ['opencode.db', 'state_5.sqlite', 'included.jsonl'])
    expect(report.notes.join('\n')).toContain(name);
  rmSync(join(home.directory, OPENCODE, 'opencode.db'));
  expect((await indexed(home)).notes.join('\n')).not.toContain('opencode.db');
});
