import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contentHash, getArtifact, getRun } from '@palisade/contracts';
import { afterEach, expect, it } from 'vitest';
import { CLI, git, makeRepository, openAt, palisade, removeInstallation } from '../support/installation.ts';
import { eachInstallationDatabase } from '../support/installation-database.ts';
import { planFile } from '../support/plan-file.ts';

/** What text mode, JSON, a terminal or a diff viewer would each change in their own way. */
const AWKWARD: Readonly<Record<string, string>> = {
  'no-final-newline': 'one\ntwo',
  crlf: 'one\r\ntwo\r\n',
  'lone-cr': 'one\rtwo\r',
  blanks: 'trailing  \t \n\n\n',
  'form-feed': 'a\u000cb\u000b\u0085\n',
  bom: '\ufeffone\n',
  bytes: '\u00ff\u00fe\u0080\n',
  nul: 'a\u0000b\n',
  unicode: 'n\u0303 \u2028 \u202e 🙂\n',
  empty: '',
};
const bytesOf = (name: string) => Buffer.from(AWKWARD[name] ?? '', name === 'bytes' ? 'latin1' : 'utf8');

let root = '';
let fresh = '';
afterEach(() => {
  removeInstallation(root);
  rmSync(fresh, { recursive: true, force: true });
});

eachInstallationDatabase('the bytes of a patch', (makeDatabase) => {
  it('FF-016: are the same from every door, by hash, and each copy applies to the base', async () => {
    root = makeRepository({ 'crlf.txt': 'zero\r\nkept\r\n', 'blanks.txt': 'zero  \n' });
    fresh = mkdtempSync(join(tmpdir(), 'palisade-fresh-'));
    const database = await makeDatabase();
    const { env } = database;
    const octal = (bytes: Buffer) =>
      [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
    const writes = Object.keys(AWKWARD).map((name) => `printf '${octal(bytesOf(name))}' > '${name}.txt'`);
    const plan = planFile(root, { items: [{ id: 'a', command: writes.join('\n') }] });
    const run = await palisade(root, ['run', plan, '--run-id', 'bytes'], env);
    expect(run.code, run.stderr).toBe(0);

    const plane = await database.within(() => openAt(root));
    const ref = (await plane.call(getRun, { run: 'bytes' })).items[0]?.product?.result_ref;
    if (ref === undefined) throw new Error('there is no patch');
    const inProcess = Buffer.from((await plane.call(getArtifact, { ref })).base64, 'base64');
    await plane.close();
    const pal = (...args: string[]): Buffer => {
      const ended = spawnSync(process.execPath, [CLI, ...args], {
        cwd: root,
        env: { ...process.env, ...env },
      });
      expect([args, ended.status], ended.stderr.toString()).toEqual([args, 0]);
      return ended.stdout;
    };
    pal('artifact', 'get', 'bytes/a', '-o', 'a.patch');
    const json = JSON.parse(pal('artifact', 'get', ref, '--json').toString()) as { base64: string };
    const doors: Readonly<Record<string, Buffer>> = {
      'in process': inProcess,
      'a pipe': pal('artifact', 'get', 'bytes/a'),
      'by address': pal('artifact', 'get', ref),
      'a file': readFileSync(join(root, 'a.patch')),
      JSON: Buffer.from(json.base64, 'base64'),
      'diff --raw': pal('diff', 'bytes', '--raw'),
    };
    for (const [door, bytes] of Object.entries(doors)) {
      expect([door, contentHash(bytes)]).toEqual([door, ref]);
      const copy = join(fresh, door.replaceAll(/\W/g, '-'));
      git(root, 'clone', '-q', '-c', 'core.autocrlf=false', root, copy);
      writeFileSync(join(fresh, 'patch'), bytes);
      git(copy, 'apply', '--whitespace=nowarn', join(fresh, 'patch'));
      for (const name of Object.keys(AWKWARD))
        expect([door, name, readFileSync(join(copy, `${name}.txt`)).equals(bytesOf(name))]).toEqual([
          door,
          name,
          true,
        ]);
    }
    rmSync(join(root, 'a.patch'));
    const applied = await palisade(root, ['apply', 'bytes', '--yes'], env);
    expect(applied.code, applied.stderr).toBe(0);
    for (const name of Object.keys(AWKWARD))
      expect([name, readFileSync(join(root, `${name}.txt`)).equals(bytesOf(name))]).toEqual([name, true]);
  }, 180_000);
});
