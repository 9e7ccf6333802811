import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import {
  callerOf,
  createPrincipal,
  DEFAULT_PROJECT,
  getRun,
  hostCaller,
  submitPlan,
} from '@palisade/contracts';
import { type Composition, compose } from '../../packages/server/src/compose.ts';
import { GuardedCalls } from '../../packages/server/src/http/guarded-database.ts';
import { startServer } from '../../packages/server/src/http/start-server.ts';
import { inControlPlaneHome } from '../../packages/server/src/in-control-plane-home.ts';
import { layoutOf } from '../../packages/server/src/layout.ts';
import { writePrograms } from '../../scripts/build/cli-package.ts';
import type { Floors } from './floors.ts';
import type { Load, LoadAnswer } from './http-load.ts';
import { percentile, report } from './report.ts';

const CLIENTS = 16;
/** Nobody may have more than a share of the streams. */
const CALLERS = 10;
const TURNS = 5;
const FAST = { perSecond: 1e9, burst: 1e9 };

/** A served control plane: what HTTP adds to a call, times of calls, a thousand subscribers, and its start. */
export async function benchServe(directory: string, floors: Floors, short: boolean): Promise<void> {
  const root = join(directory, 'served');
  mkdirSync(root);
  const calls: GuardedCalls = new GuardedCalls((tx, caller) => composition.identity.recheck(tx, caller));
  const composition = await compose({
    layout: await inControlPlaneHome(layoutOf(root), true, async () => layoutOf(root)),
    guard: (database) => calls.guard(database),
    modules: {},
    onFault: (error) => {
      throw error;
    },
  });
  const server = await startServer({
    composition,
    calls,
    authenticate: (token) => composition.identity.authenticate(token),
    hasProject: composition.hasProject,
    address: { host: '127.0.0.1', port: 0 },
    rate: FAST,
    onLine: () => {},
  });
  const load = fork(join(import.meta.dirname, 'http-load.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    const host = callerOf(composition.operations, 'human:bench');
    const tokens = [];
    for (let i = 0; i < CALLERS; i++) {
      const { token } = await host.call(createPrincipal, {
        name: `bench-${i}`,
        kind: 'service',
        scopes: ['read', 'write', 'provision'],
      });
      if (token === undefined) throw new Error('no token was issued');
      tokens.push(token);
    }
    const [token = ''] = tokens;
    const port = Number(new URL(server.url).port);
    const plan = { items: [{ id: 'a', command: 'true' }] };
    await host.call(submitPlan, { run_id: 'bench', plan });
    await benchCalls({ composition, load, port, token, floors, ms: short ? 200 : 800 });
    await benchStreams({ composition, load, port, tokens, short });
  } finally {
    load.kill();
    await server.close(500);
    await composition.close();
  }
  await benchStart(directory, floors, short);
}

interface Rig {
  readonly composition: Composition;
  readonly load: ChildProcess;
  readonly port: number;
}

async function benchCalls(
  rig: Rig & { readonly token: string; readonly floors: Floors; readonly ms: number },
): Promise<void> {
  const { composition, load, port, token, floors, ms } = rig;
  const get = composition.operations.find(({ operation }) => operation.id === getRun.id);
  const caller = hostCaller('human:bench');
  const context = { actor: caller.actor, caller, project: DEFAULT_PROJECT };
  const bare = createServer((_, response) => {
    void get?.handler({ run: 'bench' }, context).then((answer) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
  const head = (method: string, path: string, more = ''): string =>
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`;
  const read = head('GET', '/v1/projects/default/runs/bench');
  const send = async (to: number, text: string, clients: number, body?: string) => {
    const call: Load = {
      kind: 'calls',
      port: to,
      clients,
      ms,
      head: text,
      ...(body === undefined ? {} : { body }),
    };
    const { times, faults } = await loaded(load, call);
    if (faults > 0 || times.length === 0) throw new Error(`${faults} of ${times.length} calls failed`);
    return times;
  };
  const barePort = (bare.address() as AddressInfo).port;
  for (const to of [barePort, port]) await send(to, read, CLIENTS);
  /** Medians of the bare handler and of what is served, each in turn: what else the machine does slows both down. */
  const inTurn = async (clients: number): Promise<readonly [bare: number, served: number]> => {
    const [bareTimes, servedTimes]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < TURNS; turn++) {
      bareTimes.push(...(await send(barePort, read, clients)));
      servedTimes.push(...(await send(port, read, clients)));
    }
    return [percentile(bareTimes, 0.5), percentile(servedTimes, 0.5)];
  };
  const [bareAlone, servedAlone] = await inTurn(1);
  report('serve.read_alone_ms', servedAlone, 'ms', 'lower', bareAlone, '<= 1.5x');
  const [bareAll, servedAll] = await inTurn(CLIENTS);
  report('serve.read_16_p50_ms', servedAll, 'ms', 'lower', bareAll, '< 2');
  const body = '{"concurrency":8}';
  const more = `Idempotency-Key: {key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const changes = await send(port, head('PUT', '/v1/projects/default/queues/default', more), CLIENTS, body);
  report('serve.change_16_p50_ms', percentile(changes, 0.5), 'ms', 'lower', floors.sqliteCommitMs, '< 4');
  bare.closeAllConnections();
  bare.close();
}

async function benchStreams(
  rig: Rig & { readonly tokens: readonly string[]; readonly short: boolean },
): Promise<void> {
  const { composition, load, port, tokens, short } = rig;
  const [subscribers, reconnects, events] = short ? [200, 20, 30] : [1_000, 100, 100];
  const { seq } = await composition.database.read((tx) => tx.journal.head('run:bench'));
  const before = process.memoryUsage().rss;
  const open = said(load, 'open');
  const done = loaded(load, {
    kind: 'follow',
    port,
    path: '/v1/projects/default/events?run=bench',
    tokens: Array.from({ length: subscribers }, (_, i) => tokens[i % CALLERS] ?? ''),
    reconnects,
    last: seq + events,
  });
  await open;
  const times = [];
  for (let i = 0; i < events; i++) {
    const began = performance.now();
    await composition.database.write((tx) =>
      tx.journal.append('run:bench', 'item.canceled', { item: 'a', reason: `${i}` }),
    );
    times.push(performance.now() - began);
    await delay(5);
  }
  const { faults, times: lags } = await done;
  report(`serve.streams_${subscribers}_gaps`, faults, 'events', 'lower', null, '0');
  report(`serve.streams_${subscribers}_p50_ms`, percentile(lags, 0.5), 'ms', 'lower', percentile(times, 0.5));
  const grown = (process.memoryUsage().rss - before) / 1e6;
  report(`serve.streams_${subscribers}_memory`, grown, 'MB', 'lower', null, '< 150');
}

async function benchStart(directory: string, floors: Floors, short: boolean): Promise<void> {
  const [root, runs] = [join(directory, 'many'), short ? 10_000 : 100_000];
  mkdirSync(root);
  const composition = await compose({
    layout: await inControlPlaneHome(layoutOf(root), true, async () => layoutOf(root)),
    modules: {},
    onFault: () => {},
  });
  await callerOf(composition.operations, 'human:bench').call(submitPlan, {
    run_id: 'model',
    plan: { items: [{ id: 'a', command: 'true' }] },
  });
  await composition.close();
  const database = new DatabaseSync(join(root, '.palisade', 'palisade.db'));
  const columns = database
    .prepare("SELECT name FROM pragma_table_info('runs')")
    .all()
    .map(({ name }) => String(name));
  const set: Record<string, string> = {
    id: `'run-' || n`,
    state: `'completed'`,
    finished_at: '1000 + n',
    sealed_at: '1000 + n',
  };
  database.exec(
    `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${runs})
     INSERT INTO runs (${columns.join(', ')}) SELECT ${columns.map((name) => set[name] ?? name).join(', ')} FROM c, runs WHERE id = 'model';
     UPDATE runs SET state = 'completed', finished_at = 1, sealed_at = 1 WHERE id = 'model'`,
  );
  database.close();
  const programs = await writePrograms(join(directory, 'serve-programs'));
  const times = [];
  for (let i = 0; i < (short ? 2 : 5); i++) times.push(await startTime(join(programs, 'palisade.mjs'), root));
  report(
    `serve.ready_with_${runs}_ms`,
    percentile(times.slice(1), 0.5),
    'ms',
    'lower',
    floors.spawnMs,
    '< 1000',
  );
}

/** From the start of the command until `/readyz` says yes. */
async function startTime(program: string, root: string): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, [program, 'serve', '--listen', '127.0.0.1:0'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let text = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      const found = /http:\S+/.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}`)));
  });
  while (!(await fetch(`${url}/readyz`)).ok) await delay(5);
  const ms = performance.now() - began;
  child.kill();
  await ended;
  return ms;
}

async function loaded(load: ChildProcess, what: Load): Promise<Extract<LoadAnswer, { kind: 'done' }>> {
  const done = said(load, 'done');
  load.send(what);
  return (await done) as Extract<LoadAnswer, { kind: 'done' }>;
}

function said(load: ChildProcess, kind: LoadAnswer['kind']): Promise<LoadAnswer> {
  return new Promise((resolve, reject) => {
    const exit = (): void => reject(new Error('the load ended'));
    const take = (answer: LoadAnswer): void => {
      if (answer.kind !== kind) return;
      load.off('message', take).off('exit', exit);
      resolve(answer);
    };
    load.on('message', take).once('exit', exit);
  });
}
