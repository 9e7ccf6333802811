import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withFileLock } from '@palisade/process';
import { describe, expect, it } from 'vitest';
import { palisade } from '../support/installation.ts';
import { place } from '../support/place.ts';
import { served } from '../support/served.ts';

/** A served control plane, and an agent elsewhere with a credential for it. */
async function agent() {
  const { root, home, env: own } = place();
  const server = await served(root, own);
  const host = (...args: string[]) => palisade(root, args, own);
  const issue = async (name: string): Promise<string> => {
    const issued = await host('principal', 'create', name, '--json');
    return (JSON.parse(issued.stdout) as { token: string }).token;
  };
  const env = {
    ...own,
    XDG_STATE_HOME: join(home, 'state'),
    PALISADE_SERVER: server.url,
    PALISADE_TOKEN: await issue('helper'),
  };
  writeFileSync(join(home, 'plan.json'), '{"items":[{"id":"a","command":"true"}]}');
  const pal = (...args: string[]) => palisade(home, args, env);
  const start = async (...args: string[]): Promise<string> => {
    const started = await pal('session', 'start', '--json', ...args);
    expect(started, started.stderr).toMatchObject({ code: 0 });
    return (JSON.parse(started.stdout) as { session_id: string }).session_id;
  };
  return { home, env, host, issue, pal, start, url: server.url };
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};
const call = (id: number, name: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
});

describe('the session that commands work in', () => {
  it('AO-034 AO-038 AO-050: once begun, is presented by every command of its name, and when it was closed is replaced by one alike', {
    timeout: 180_000,
  }, async () => {
    const { home, host, pal, start } = await agent();
    expect((await pal('session', 'list')).stdout).toContain('no session was active in the last 24 hours');
    const first = await start('--harness', 'claude-code', '--capability', 'git');
    expect(await start()).toBe(first);
    expect((await pal('session', 'show', '--format', 'id')).stdout).toBe(`${first}\n`);
    const kept = join(home, 'state/palisade/sessions');
    const [file = ''] = readdirSync(kept).filter((name) => name.endsWith('.json'));
    expect(statSync(join(kept, file)).mode & 0o777).toBe(0o600);
    const { proof } = JSON.parse(readFileSync(join(kept, file), 'utf8')) as { proof: string };
    expect((await pal('session', 'start')).stdout).not.toContain(proof);
    const refused = await pal('session', 'start', '--harness', 'codex');
    expect(refused.code).toBe(2);
    const run = ['run', 'plan.json', '--detach', '--idempotency-key', 'k'];
    expect(await pal(...run)).toMatchObject({ code: 0 });

    expect((await host('session', 'close', first)).code).toBe(0);
    const closed = await pal('status');
    expect(closed.code).toBe(3);
    expect(closed.stderr).toContain('or the session that the call is made in');
    expect(closed.stderr).toContain('next  pal session start');
    expect((await pal('status', '--session', 'other')).code).toBe(0);
    const again = await pal('session', 'start');
    expect(again.stderr).toContain(`note: ${first} was closed`);
    expect(again.stdout).toContain('claude-code on');
    // A key means something in its own session alone.
    const elsewhere = await pal(...run);
    expect(elsewhere.code).toBe(5);
    expect(elsewhere.stderr).toContain('code idempotency_mismatch');

    const ended = await pal('session', 'close');
    expect(ended.stdout).toContain('closed');
    expect(readdirSync(kept).filter((name) => name.endsWith('.json'))).toEqual([]);
    expect((await pal('status')).code).toBe(0);
    const none = await pal('session', 'close');
    expect(none.stderr).toContain('no session was started here');
  });

  it('AC-057: is of its credential alone', { timeout: 180_000 }, async () => {
    const { home, env, issue, start } = await agent();
    const first = await start();
    const other = { ...env, PALISADE_TOKEN: await issue('other') };
    const refused = await palisade(home, ['status'], other);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(`failed: session ${first} was begun with another credential`);
    const started = await palisade(home, ['session', 'start', '--json'], other);
    expect(started, started.stderr).toMatchObject({ code: 0 });
    expect(started.stdout).not.toContain(first);
    expect((await palisade(home, ['status'], other)).code).toBe(0);
  });

  it('AO-126: one that another program registered is gone on with, where its proof, credential and machine are right', {
    timeout: 180_000,
  }, async () => {
    const { home, env, host, issue, pal, start } = await agent();
    const session = `hses_${randomBytes(16).toString('hex')}`;
    const proof = (bytes = randomBytes(32)) => writeFileSync(join(home, 'proof'), bytes.toString('hex'));
    const right = randomBytes(32);
    proof(right);
    const given = ['--file', 'proof', '--workstation', 'desk', '--harness', 'codex'];
    expect(await pal('session', 'register', session, ...given)).toMatchObject({ code: 0 });
    const adopt = (...args: string[]) => pal('session', 'adopt', session, '--file', 'proof', ...args);

    const elsewhere = await adopt();
    expect(elsewhere.code).toBe(2);
    expect(elsewhere.stderr).toContain('--workstation desk');
    proof();
    expect((await adopt('--workstation', 'desk')).code).toBe(3);
    proof(right);
    const other = { ...env, PALISADE_TOKEN: await issue('other') };
    const foreign = ['session', 'adopt', session, '--file', 'proof', '--workstation', 'desk'];
    expect((await palisade(home, foreign, other)).code).toBe(3);
    expect((await pal('session', 'close')).stderr).toContain('no session was started here');

    for (let i = 0; i < 2; i++) expect((await adopt('--workstation', 'desk')).stdout).toContain(session);
    expect(await start()).toBe(session);
    const second = await pal('session', 'adopt', `hses_${'0'.repeat(32)}`, '--file', 'proof');
    expect(second.stderr).toContain(`commands here work in ${session}`);
    expect((await host('session', 'close', session)).code).toBe(0);
    expect((await adopt('--workstation', 'desk')).code).toBe(3);
  });

  it('AO-037: one of another state directory is taken over as it is, and stays there', {
    timeout: 180_000,
  }, async () => {
    const { home, env, issue, pal, start } = await agent();
    const old = join(home, 'old');
    const session = await start('--state-dir', old);
    const migrate = (...args: string[]) => pal('session', 'migrate', '--from', old, ...args);
    const other = { ...env, PALISADE_TOKEN: await issue('other') };
    expect((await palisade(home, ['session', 'migrate', '--from', old], other)).code).toBe(3);
    expect((await migrate('--session', 'none')).stderr).toContain('holds no session');
    const link = join(home, 'unrelated');
    mkdirSync(link, { mode: 0o700 });
    writeFileSync(join(link, 'thesis.txt'), '');
    expect((await pal('session', 'migrate', '--from', link)).code).toBe(2);

    expect((await migrate('--dry-run')).stdout).toContain(`would migrate  ${session}`);
    const taken = await migrate('--json');
    expect(JSON.parse(taken.stdout)).toMatchObject({ session_id: session });
    expect(taken.stdout).not.toContain('proof');
    expect(await start()).toBe(session);
    expect(await start('--state-dir', old)).toBe(session);
    expect((await migrate()).code).toBe(0);

    // Crosswise at once: while neither gets the first of the two locks, neither holds the other one.
    const here = join(home, 'state/palisade');
    const [first = '', second = ''] = [here, old]
      .flatMap((state) => readdirSync(join(state, 'sessions')).map((name) => join(state, 'sessions', name)))
      .filter((name) => name.endsWith('.json'))
      .map((name) => `${name}.lock`)
      .toSorted();
    const crosswise = await withFileLock(first, { busy: 'taken' }, async () => {
      const both = [migrate(), pal('session', 'migrate', '--from', here, '--state-dir', old)];
      for (let i = 0; i < 30; i++) {
        await withFileLock(second, { busy: 'taken', patienceMs: 500 }, async () => {});
        await delay(100);
      }
      return both;
    });
    for (const each of await Promise.all(crosswise)) expect(each, each.stderr).toMatchObject({ code: 0 });
    // Another one here is not replaced.
    expect((await pal('session', 'close')).code).toBe(0);
    await start();
    expect((await migrate()).stderr).toContain('commands here work in');
  });

  it('AO-128 AO-141: is presented by the adapter of tools too, and told', { timeout: 180_000 }, async () => {
    const { home, env, host, start, url } = await agent();
    const session = await start();
    const adapter = async (directory: string) => {
      const input = [initialize, call(2, 'transport_status'), call(3, 'runs_list')];
      const args = ['mcp', 'stdio', '--server', url, '--state-dir', join(home, directory)];
      const text = input.map((line) => `${JSON.stringify(line)}\n`).join('');
      const { stdout } = await palisade(home, args, env, text);
      return new Map(
        stdout
          .trim()
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as { id: number; error?: object })
          .map((answer) => [answer.id, answer] as const),
      );
    };
    const open = await adapter('a');
    expect(JSON.stringify(open.get(2))).toContain(session);
    expect(open.get(3)).toMatchObject({ result: { structuredContent: { data: [] } } });
    expect((await host('session', 'close', session)).code).toBe(0);
    expect((await adapter('a')).get(3)).toMatchObject({ error: { message: expect.stringContaining('401') } });
    // Another session has a journal of its own.
    const next = await start();
    expect(next).not.toBe(session);
    expect((await adapter('a')).size).toBe(0);
    expect((await adapter('b')).get(3)).toMatchObject({ result: { structuredContent: { data: [] } } });
  });
});
