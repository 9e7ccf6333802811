import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { copyOf } from '../../test/forge.ts';
import { OPS_KEY, ORIGIN, START, testSigner, TRUST_ROOT } from '../../test/story.ts';
import { signCheckpoint } from '../log/checkpoint.ts';
import { consistencyProof } from '../merkle/proof.ts';
import { treeRoot } from '../merkle/compact-range.ts';
import { formatAddCheckpoint, LOG_SIZE_TYPE } from './add-checkpoint.ts';
import { cosignatureIn } from './cosignature.ts';
import { parseVerifierKey } from './verifier-key.ts';

const BIN = join(import.meta.dirname, '../../bin/palisade-witness.mjs');
const NAME = 'witness.example/w1';

let place: string;
let directory: string;
const running: ChildProcess[] = [];
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'palisade-witness-'));
  directory = join(place, 'w');
});
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(place, { recursive: true, force: true });
});

const run = (...args: string[]) => spawnSync(process.execPath, [BIN, ...args], { encoding: 'utf8' });

/** A new witness that watches the sample log; gives its public key. */
function witness(): string {
  const made = run('init', directory, NAME);
  expect(made).toMatchObject({ status: 0, stderr: '' });
  writeFileSync(join(place, 'trust-root.json'), JSON.stringify(TRUST_ROOT));
  expect(run('watch', directory, join(place, 'trust-root.json'))).toMatchObject({ status: 0, stderr: '' });
  return made.stdout.trim();
}

/** The real program, on a free port of this machine. */
async function serve(at = directory) {
  const child = spawn(process.execPath, [BIN, 'serve', at, '--listen', '127.0.0.1:0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  const url = /http:\S+$/.exec(line)?.[0] ?? '';
  const stderr: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk.toString()));
  const end = async (signal: NodeJS.Signals): Promise<unknown> => {
    child.kill(signal);
    return (await once(child, 'exit')) as unknown;
  };
  return { url, end, stderr };
}

const leavesOf = (count: number, kind = 'leaf'): Buffer[] =>
  Array.from({ length: count }, (_, i) => Buffer.from(`${kind} ${i}`));

async function checkpoint(leaves: readonly Buffer[], signer = OPS_KEY, origin = ORIGIN): Promise<string> {
  return signCheckpoint({ origin, size: leaves.length, root: treeRoot(leaves) }, signer);
}

async function post(url: string, body: string) {
  const response = await fetch(`${url}/add-checkpoint`, { method: 'POST', body });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

/** Submits a tree with an honest proof from `oldSize`. */
async function submit(url: string, leaves: readonly Buffer[], oldSize: number, note?: string) {
  const proof = oldSize === 0 || oldSize >= leaves.length ? [] : consistencyProof(leaves, oldSize);
  return post(url, formatAddCheckpoint({ oldSize, proof, checkpoint: note ?? (await checkpoint(leaves)) }));
}

describe('a witness', () => {
  test('DI-227: cosigns a log that grows, and tells whoever does not know what it saw last', async () => {
    const key = parseVerifierKey(witness());
    const { url } = await serve();
    const before = Math.floor(Date.now() / 1_000);
    for (const [size, oldSize] of [
      [3, 0],
      [3, 3],
      [8, 3],
      [300, 8],
    ] as const) {
      const note = await checkpoint(leavesOf(size));
      const { status, text } = await submit(url, leavesOf(size), oldSize, note);
      expect([size, status]).toEqual([size, 200]);
      const line = cosignatureIn(text, note, key);
      expect(line).toBe(text);
      const seconds = Number(Buffer.from(text.split(' ')[2] ?? '', 'base64').readBigUInt64BE(4));
      expect(seconds >= before && seconds <= Date.now() / 1_000).toBe(true);
    }
    expect(await submit(url, leavesOf(301), 0)).toEqual({ status: 409, type: LOG_SIZE_TYPE, text: '300\n' });
    expect(run('show', directory).stdout).toContain(`300\t${ORIGIN}\t1 key(s)`);
  });

  test('DI-227: refuses a log that was set back or tells another history, and says so', async () => {
    const key = witness();
    const { url, stderr } = await serve();
    expect((await submit(url, leavesOf(10), 0)).status).toBe(200);
    const fork = [...leavesOf(9), Buffer.from('other')];
    const longer = [...fork, Buffer.from('more')];
    const refusals: [number, Promise<{ status: number; text: string }>][] = [
      [409, submit(url, leavesOf(7), 7)],
      [409, submit(url, leavesOf(7), 0)],
      [409, submit(url, fork, 10)],
      [422, submit(url, longer, 10)],
      [
        422,
        post(
          url,
          formatAddCheckpoint({ oldSize: 10, proof: [], checkpoint: await checkpoint(leavesOf(12)) }),
        ),
      ],
      [400, submit(url, leavesOf(7), 10)],
      [403, submit(url, leavesOf(12), 10, await checkpoint(leavesOf(12), testSigner(9)))],
      [404, submit(url, leavesOf(12), 10, await checkpoint(leavesOf(12), OPS_KEY, 'other.example/log'))],
    ];
    for (const [expected, answer] of refusals) {
      const { status, text } = await answer;
      expect(status).toBe(expected);
      expect(cosignatureIn(text, await checkpoint(fork), parseVerifierKey(key))).toBeNull();
    }
    expect(stderr.join('')).toContain('does not fit what was seen');
    expect((await submit(url, leavesOf(12), 10)).status).toBe(200);
  });

  test('DI-227: a malformed request is refused, whatever is wrong with it', async () => {
    witness();
    const { url } = await serve();
    for (const body of [
      '',
      'old 0\n',
      'old 01\n\nx',
      'old -1\n\nx',
      'old 0 \n\nx',
      'new 0\n\nx',
      'old 1\nAAAA\n\nx',
      'old 9007199254740993\n\nx',
      `old 0\n${'A'.repeat(43)}=\n`,
      `old 0\n\n${ORIGIN}\n1\nAA==\n`,
      '\u0000',
    ])
      expect([body, (await post(url, body)).status]).toEqual([body, 400]);
  });

  test('DI-227: what is too large, slow or something else costs it nothing', async () => {
    witness();
    const { url } = await serve();
    expect((await fetch(`${url}/`)).status).toBe(404);
    expect((await fetch(`${url}/add-checkpoint`)).status).toBe(405);
    const large = await fetch(`${url}/add-checkpoint`, { method: 'POST', body: 'x'.repeat(1_000_000) }).then(
      ({ status }) => status,
      () => 'cut off',
    );
    expect([413, 'cut off']).toContain(large);
    const silent = connect(Number(new URL(url).port), '127.0.0.1');
    await once(silent, 'connect');
    expect((await submit(url, leavesOf(3), 0)).status).toBe(200);
    silent.destroy();
  });

  test('DI-226: what it has seen outlives SIGKILL at any moment: no cosignature was given for what it forgot', async () => {
    const key = parseVerifierKey(witness());
    let size = 0;
    for (let round = 0; round < 6; round++) {
      const { url, end } = await serve();
      // The last answer that was received; more may have been under way when it died.
      let known = size;
      const work = (async () => {
        for (let i = 0; i < 1_000; i++) {
          const next = leavesOf(known + 1);
          const note = await checkpoint(next);
          const { status, text } = await submit(url, next, known, note);
          if (status === 409) known = Number(text);
          else if (cosignatureIn(text, note, key) !== null) known++;
          if (known > size + 3) void end('SIGKILL').catch(() => undefined);
        }
      })();
      await work.catch(() => undefined);
      const again = await serve();
      const fork = leavesOf(known, 'fork');
      const refused = await submit(again.url, fork, known);
      expect([round, refused.status]).toEqual([round, 409]);
      const seen = Number((await submit(again.url, leavesOf(known + 2), 0)).text);
      expect(seen).toBeGreaterThanOrEqual(known);
      size = seen;
      await again.end('SIGTERM');
    }
    expect(size).toBeGreaterThan(6);
  });

  test('DI-226: two processes on one directory never cosign two histories', async () => {
    const key = parseVerifierKey(witness());
    const [one, two] = [await serve(), await serve()];
    await submit(one.url, leavesOf(4), 0);
    const [left, right] = [
      [...leavesOf(4), Buffer.from('left')],
      [...leavesOf(4), Buffer.from('right')],
    ];
    const notes = [await checkpoint(left), await checkpoint(right)];
    const answers = await Promise.all([
      submit(one.url, left, 4, notes[0]),
      submit(two.url, right, 4, notes[1]),
    ]);
    const cosigned = answers.filter(({ text }, i) => cosignatureIn(text, notes[i] ?? '', key) !== null);
    expect(cosigned).toHaveLength(1);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  test('DI-252: watching again with a newer trust root takes the new key and drops one that was revoked', async () => {
    witness();
    const next = testSigner(2, 'ops-2027');
    const root = copyOf(TRUST_ROOT);
    const { 'ops-2026': former } = root.keys;
    if (former === undefined) throw new Error('the sample trust root has no key');
    root.keys['ops-2027'] = { ...former, spki_der: Buffer.from(next.publicKeySpkiDer).toString('base64') };
    Object.assign(former, { status: 'revoked', revoked_at: new Date(START).toISOString() });
    writeFileSync(join(place, 'trust-root.json'), JSON.stringify(root));
    const { url } = await serve();
    expect((await submit(url, leavesOf(3), 0)).status).toBe(200);
    // The server need not be started again.
    expect(run('watch', directory, join(place, 'trust-root.json')).status).toBe(0);
    expect((await submit(url, leavesOf(4), 3)).status).toBe(403);
    expect((await submit(url, leavesOf(4), 3, await checkpoint(leavesOf(4), next))).status).toBe(200);
  });

  test('keeps its secret to itself, is made once, and does not go on without its memory', () => {
    const key = witness();
    expect(key).toMatch(/^witness\.example\/w1\+[0-9a-f]{8}\+BA?\S+$/);
    for (const file of ['key.pem', 'name']) expect(statSync(join(directory, file)).mode & 0o077).toBe(0);
    expect(statSync(directory).mode & 0o077).toBe(0);
    const again = run('init', directory, NAME);
    expect(again.status).toBe(1);
    expect(again.stderr).toContain('there is a witness in');
    cpSync(directory, join(place, 'copy'), { recursive: true });
    rmSync(join(place, 'copy/state.db'));
    const forgotten = run('serve', join(place, 'copy'), '--listen', '127.0.0.1:0');
    expect([forgotten.status, forgotten.stdout]).toEqual([1, '']);
    expect(forgotten.stderr).toContain('state.db cannot be read');
    expect(existsSync(join(place, 'copy/state.db'))).toBe(false);
    expect(run('show', directory).stdout).not.toContain(
      readFileSync(join(directory, 'key.pem'), 'utf8').split('\n')[1],
    );
  });

  test('wrong usage is one line and a code', () => {
    witness();
    const wrong: [string[], number, RegExp][] = [
      [[], 2, /give a verb/],
      [['init', join(place, 'x')], 2, /init takes more/],
      [['init', join(place, 'x'), 'a name'], 2, /holds no white space/],
      [['dance', directory], 2, /no verb "dance"/],
      [['show', directory, 'more'], 2, /show takes less/],
      [['serve', directory, '--listen', 'nowhere'], 2, /HOST:PORT/],
      [['show', directory, '--listen', '127.0.0.1:0'], 2, /only serve listens/],
      [['watch', directory, join(place, 'none.json')], 2, /cannot be read/],
      [['watch', directory, join(directory, 'name')], 2, /not JSON/],
      [['serve', place], 1, /there is no witness/],
    ];
    for (const [args, code, words] of wrong) {
      const { status, stdout, stderr } = run(...args);
      expect([args, status, stdout]).toEqual([args, code, '']);
      expect(stderr).toMatch(words);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    }
    expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^usage:/) });
  });
});
