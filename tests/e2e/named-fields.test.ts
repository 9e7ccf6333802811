import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { git, makeRepository, palisade, removeInstallation } from '../support/installation.ts';
import { planFile } from '../support/plan-file.ts';

const CANARY = 'canary-7f3a9c';

let root = '';
beforeEach(async () => {
  root = makeRepository({ 'a.txt': 'zero\n' });
  expect((await palisade(root, ['init'])).code).toBe(0);
});
afterEach(() => removeInstallation(root));

/** Runs a command that fails and gives everything that anybody could read afterwards. */
async function said(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  let text = '';
  for (const more of [[], ['--json']]) {
    const { code, stdout, stderr } = await palisade(root, [...args, ...more], env);
    expect(code).not.toBe(0);
    text += stdout + stderr;
  }
  const log = join(root, '.palisade/engine.log');
  return text + (existsSync(log) ? readFileSync(log, 'utf8') : '');
}

describe('FF-129: an error says what happened in named fields, and quotes nothing foreign', {
  timeout: 90_000,
}, () => {
  it('a database that refuses with a text of its own, or whose address cannot be read', async () => {
    // As the server's protocol has it: an error with severity, state and text.
    const fields = Buffer.from(`SFATAL\0C28P01\0Mno entry for ${CANARY}\0\0`);
    const length = Buffer.alloc(4);
    length.writeInt32BE(fields.length + 4);
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(Buffer.concat([Buffer.from('E'), length, fields])));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      for (const url of [`postgres://ada:${CANARY}@127.0.0.1:${port}/x`, `postgres://ada:${CANARY}@[x/x`]) {
        const text = await said(['status'], { PALISADE_DATABASE_URL: url });
        expect(text).toContain('code');
        expect(text).not.toContain(CANARY);
      }
    } finally {
      server.close();
    }
  });

  it('an operator module that throws a text with a header', async () => {
    const module = join(root, 'module.mjs');
    writeFileSync(module, `export default () => { throw new Error('401: authorization: Bearer ${CANARY}') }`);
    const text = await said(['doctor'], { PALISADE_SANDBOX_MODULES: module });
    expect(text).toContain('cannot be used');
    expect(text).not.toContain(CANARY);
  });

  it('git with headers and credentials in its settings, in a repository that is broken', async () => {
    git(root, 'config', 'http.extraHeader', `Authorization: ${CANARY}`);
    git(root, 'remote', 'add', 'origin', `https://ada:${CANARY}@example.invalid/x.git`);
    execFileSync('rm', ['-rf', join(root, '.git/objects')]);
    mkdirSync(join(root, '.git/objects'));
    const plan = planFile(root, { items: [{ id: 'a', command: 'true' }] });
    const text = await said(['run', plan], { GIT_HTTP_EXTRA: CANARY });
    expect(text).not.toContain(CANARY);
  });

  it('an attempt whose program fails with a secret in its environment', async () => {
    writeFileSync(join(root, 'secret'), CANARY);
    expect(
      (await palisade(root, ['env', 'register', 'e', '--secret-file', `TOKEN=${join(root, 'secret')}`])).code,
    ).toBe(0);
    const plan = planFile(root, {
      items: [
        {
          id: 'a',
          command: 'echo "authorization: $TOKEN" >&2; exit 7',
          inputs: { env: 'e' },
          retry: { max_attempts: 1 },
        },
      ],
    });
    const run = await palisade(root, ['run', plan, '--run-id', 'leaky']);
    expect(run.code).toBe(1);
    const views = await Promise.all(
      [
        ['show', 'leaky', '--json'],
        ['events', 'leaky', '--json'],
        ['explain', 'leaky/a'],
        ['logs', 'leaky/a', '--raw'],
      ].map((args) => palisade(root, args)),
    );
    const text = [run, ...views].map(({ stdout, stderr }) => stdout + stderr).join('');
    expect(text).toContain('status 7');
    expect(text).not.toContain(CANARY);
  });
});
