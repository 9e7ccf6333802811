import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { remoteCaller } from '@palisade/client';
import { cancelRun, listRuns, putSecret } from '@palisade/contracts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ChangePlace, PendingChanges } from '../src/server/pending-changes.ts';
import { sessionName, stateDirectory } from '../src/server/state-directory.ts';

interface Reply {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}
/** Hangs up without an answer. */
const CUT = 'cut';
type Told = Reply | typeof CUT;

const good: Reply = { status: 200, body: '{"run_id":"run_1","accepted":true,"state":"running"}' };
const problem = (status: number, code: string): Reply => ({
  status,
  body: JSON.stringify({ code, detail: 'it says no', status }),
});

/** A server that answers with what it was told last, and changes of callers of it in one state directory. */
async function rig() {
  const home = mkdtempSync(join(tmpdir(), 'palisade-pending-'));
  const sent: {
    readonly target: string;
    readonly key: unknown;
    readonly body: string;
    readonly token: unknown;
  }[] = [];
  const state = { told: good as Told, open: 0, most: 0, ms: 0 };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const { url: target = '', headers } = request;
      sent.push({
        target,
        key: headers['idempotency-key'],
        body,
        token: headers.authorization,
      });
      state.open += 1;
      state.most = Math.max(state.most, state.open);
      setTimeout(() => {
        state.open -= 1;
        const { told } = state;
        if (told === CUT) {
          request.socket.destroy();
          return;
        }
        response.writeHead(told.status, { 'content-type': 'application/json', ...told.headers });
        response.end(told.body ?? '');
      }, state.ms);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    rmSync(home, { recursive: true, force: true });
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const changes = (more: Partial<ChangePlace> = {}, patienceMs = 0): PendingChanges => {
    const place = {
      stateDirectory: join(home, 'state'),
      origin,
      project: 'default',
      session: 'default',
      token: 'pal_a',
      ...more,
    };
    return new PendingChanges(place, (onRepeat) =>
      remoteCaller({ origin, token: place.token, project: place.project, patienceMs, onRetry: onRepeat }),
    );
  };
  return { home, sent, state, changes };
}

const cancel = (changes: PendingChanges, run: string, key: string) =>
  changes.call(cancelRun, { run, reason: 'why' }, { idempotencyKey: key });

describe('a change that is sent to a server', () => {
  it('AO-039: is pending after every answer but one that settles it', async () => {
    const { changes, state } = await rig();
    for (const [told, isOpen] of [
      [good, false],
      [problem(400, 'invalid_input'), false],
      [problem(401, 'authentication_required'), false],
      [problem(403, 'operation_not_permitted'), false],
      [problem(404, 'not_found'), false],
      [problem(409, 'invalid_state'), false],
      [problem(413, 'too_large'), false],
      [problem(429, 'rate_limited'), true],
      [problem(500, 'internal'), true],
      [problem(503, 'database_busy'), true],
      [problem(507, 'storage_full'), true],
      [{ status: 502, body: '<html>' }, true],
      [{ status: 404, body: '<html>' }, true],
      [{ status: 200, body: '<html>' }, true],
      [{ status: 200, body: '' }, true],
      [{ status: 200, body: '7' }, true],
      [{ status: 307, headers: { location: 'http://127.0.0.1:9/' } }, true],
      [CUT, true],
    ] as const) {
      state.told = told;
      const what = JSON.stringify(told);
      const outcome = await cancel(changes(), 'run_1', 'k').catch((error: unknown) => error);
      if (isOpen) expect(outcome, what).toMatchObject({ next: 'pal retry' });
      expect(await changes().pending(), what).toEqual(
        isOpen ? { operation: 'runs.cancel', key: 'k' } : undefined,
      );
      if (isOpen) expect(await changes().giveUp('k')).toBe(true);
    }
  });

  it('AO-039 AO-040: while one is pending no other is sent, reads and rehearsals are, and it is sent again byte for byte', async () => {
    const { changes, state, sent } = await rig();
    state.told = CUT;
    await expect(cancel(changes(), 'run_1', 'k1')).rejects.toMatchObject({ code: 'upstream_failed' });
    state.told = good;
    for (const [run, key] of [
      ['run_2', 'k2'],
      ['run_1', 'k2'],
      ['run_2', 'k1'],
    ] as const)
      await expect(cancel(changes(), run, key)).rejects.toMatchObject({
        code: 'invalid_state',
        next: 'pal retry',
      });
    expect(sent.length).toBe(1);
    await changes().call(listRuns, {});
    await changes().call(cancelRun, { run: 'run_2', dry_run: true });
    const told = await changes().retry();
    expect(told?.operation.id).toBe('runs.cancel');
    expect(told?.answer).toEqual(JSON.parse(good.body ?? ''));
    expect(sent.at(-1)).toEqual(sent[0]);
    expect(sent[0]).toMatchObject({ key: 'k1', body: '{"reason":"why"}' });
    expect(await changes().retry()).toBeUndefined();
    await cancel(changes(), 'run_2', 'k2');
    expect(sent.at(-1)).toMatchObject({ key: 'k2', target: expect.stringContaining('run_2') });
  });

  it('AO-033: a read waits for the change of its session that is being sent, and for no other', async () => {
    const { changes, state, sent } = await rig();
    state.ms = 300;
    const during = async (key: string, reader: PendingChanges): Promise<void> => {
      const before = sent.length;
      const changed = cancel(changes(), 'run_1', key);
      while (sent.length === before) await delay(5);
      await Promise.all([changed, reader.call(listRuns, {})]);
    };
    await during('k1', changes());
    expect(state.most).toBe(1);
    await during('k2', changes({ session: 'other' }));
    expect(state.most).toBe(2);
    state.ms = 0;
    // One that is pending and sent by nobody holds up nothing.
    state.told = problem(503, 'database_busy');
    await expect(cancel(changes(), 'run_2', 'k3')).rejects.toMatchObject({ code: 'database_busy' });
    state.told = good;
    await changes().call(listRuns, {});
    expect(await changes().pending()).toBeDefined();
  });

  it('AO-040: whoever repeats it exactly sends it again too, and is answered', async () => {
    const { changes, state, sent } = await rig();
    state.told = problem(503, 'database_busy');
    await expect(cancel(changes(), 'run_1', 'k1')).rejects.toMatchObject({ code: 'database_busy' });
    state.told = good;
    expect(await cancel(changes(), 'run_1', 'k1')).toMatchObject({ accepted: true });
    expect(sent[1]).toEqual(sent[0]);
    expect(await changes().pending()).toBeUndefined();
  });

  it('AO-041: a refusal of whoever asks settles a first attempt, and says nothing of an earlier one', async () => {
    const { changes, state, sent } = await rig();
    state.told = CUT;
    const lost = cancel(changes({}, 2_000), 'run_1', 'k');
    while (sent.length === 0 || state.open > 0) await delay(5);
    state.told = problem(401, 'authentication_required');
    await expect(lost).rejects.toMatchObject({ code: 'authentication_required', next: 'pal retry' });
    await expect(changes().retry()).rejects.toMatchObject({ code: 'authentication_required' });
    expect(await changes().pending()).toBeDefined();
    state.told = problem(409, 'invalid_state');
    await expect(changes().retry()).rejects.toMatchObject({ code: 'invalid_state' });
    expect(await changes().pending()).toBeUndefined();
  });

  it('is not sent again in the name of somebody else; what is settled binds nobody', async () => {
    const { changes, state, sent } = await rig();
    state.told = CUT;
    await expect(cancel(changes(), 'run_1', 'k')).rejects.toThrow();
    state.told = good;
    const other = changes({ token: 'pal_b' });
    await expect(other.retry()).rejects.toThrow('another credential');
    await expect(cancel(other, 'run_1', 'k')).rejects.toThrow('another credential');
    expect(sent.length).toBe(1);
    expect(await other.giveUp('nonsense')).toBe(false);
    await changes().retry();
    await cancel(other, 'run_2', 'k2');
    expect(sent.at(-1)).toMatchObject({ token: 'Bearer pal_b' });
  });

  it('AO-033: another session, project or server has its own, also where names differ in case alone', async () => {
    const { changes, state, sent } = await rig();
    state.told = CUT;
    await expect(cancel(changes(), 'run_1', 'k')).rejects.toThrow();
    state.told = good;
    for (const more of [{ session: 'other' }, { session: 'Default' }, { project: 'shop' }] as const)
      await cancel(changes(more), 'run_2', 'k2');
    state.told = CUT;
    await expect(
      changes().call(cancelRun, { run: 'run_1' }, { idempotencyKey: 'k3', project: 'web' }),
    ).rejects.toMatchObject({ next: 'pal retry --project web' });
    expect(sent.at(-1)?.target).toContain('/projects/web/');
    expect(await changes({ project: 'web' }).pending()).toEqual({ operation: 'runs.cancel', key: 'k3' });
    await expect(cancel(changes({ session: 'mine' }), 'run_1', 'k')).rejects.toMatchObject({
      next: 'pal retry --session mine',
    });
    for (const name of ['', '.', '..', 'a/b', 'a\\b', 'a.', ' a', 'a b', 'a'.repeat(65)])
      expect(() => sessionName(name), name).toThrow('a session is named');
  });

  it('those of a session are sent one after another', async () => {
    const { changes, state, sent } = await rig();
    state.ms = 20;
    await Promise.all(Array.from({ length: 8 }, (_, n) => cancel(changes(), `run_${n}`, `k${n}`)));
    expect(sent.length).toBe(8);
    expect(state.most).toBe(1);
  });

  it('AO-032 AO-034: no token is written down, and of a change that is settled nothing is left', async () => {
    const { changes, state, home } = await rig();
    const everything = (): string =>
      readdirSync(home, { recursive: true, encoding: 'utf8' })
        .map((name) => join(home, name))
        .filter((file) => statSync(file).isFile())
        .map((file) => readFileSync(file, 'latin1'))
        .join('\n');
    state.told = CUT;
    const put = { name: 'x', value: 'canary-of-a-value' };
    await expect(
      changes({ token: 'canary-of-a-token' }).call(putSecret, put, { idempotencyKey: 'k' }),
    ).rejects.toThrow();
    expect(everything()).toContain('canary-of-a-value');
    for (const name of readdirSync(home, { recursive: true, encoding: 'utf8' }))
      expect(statSync(join(home, name)).mode & 0o077, name).toBe(0);
    state.told = good;
    await changes({ token: 'canary-of-a-token' }).retry();
    expect(everything()).not.toContain('canary');
  });
});

describe('the state directory', () => {
  it('AO-035: is absolute, no root, no link, the own user alone reaches it, and it holds nothing else; nothing is changed to see that', () => {
    const home = mkdtempSync(join(tmpdir(), 'palisade-state-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const at = (name: string): string => join(home, name);
    expect(stateDirectory(undefined, { HOME: home })).toBe(at('.local/state/palisade'));
    expect(stateDirectory(undefined, { HOME: home, XDG_STATE_HOME: at('s') })).toBe(at('s/palisade'));
    expect(stateDirectory(undefined, { HOME: home, XDG_STATE_HOME: 's' })).toBe(at('.local/state/palisade'));
    expect(stateDirectory(at('none'), {})).toBe(at('none'));
    for (const [named, words] of [
      ['relative', 'absolute'],
      ['/', 'root'],
    ] as const)
      expect(() => stateDirectory(named, {})).toThrow(words);
    mkdirSync(at('dir'), { mode: 0o700 });
    symlinkSync(at('dir'), at('link'));
    expect(() => stateDirectory(at('link'), {})).toThrow('is a link');
    writeFileSync(at('dir/notes.txt'), '');
    expect(() => stateDirectory(at('dir'), {})).toThrow('something else');
    rmSync(at('dir/notes.txt'));
    mkdirSync(at('dir/pending'));
    expect(stateDirectory(at('dir'), {})).toBe(at('dir'));
    chmodSync(at('dir'), 0o755);
    expect(() => stateDirectory(at('dir'), {})).toThrow('others can reach');
    expect(statSync(at('dir')).mode & 0o777).toBe(0o755);
    expect(readdirSync(home).toSorted()).toEqual(['dir', 'link']);
  });
});
