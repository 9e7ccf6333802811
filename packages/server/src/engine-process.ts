import { appendFileSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isPalisadeError, namedFields } from '@palisade/contracts';
import { identify } from '@palisade/runs';
import { compose } from './compose.ts';
import { layoutOf } from './layout.ts';
import { leaseSetting } from './lease-setting.ts';

/** An engine without work leaves after this long; the next submission starts another. */
const IDLE_MS = 3_000;
/** How often ended runs that could not be sealed at once are looked for again. */
const SEAL_AGAIN_MS = 30_000;

/**
 * Entry point of the detached engine of a local control plane. It belongs to no terminal: it owns runs
 * until none is left, and any number of command lines may come and go meanwhile.
 */
async function main(root: string): Promise<void> {
  const layout = layoutOf(root);
  const log = (message: string): void => {
    try {
      appendFileSync(layout.engineLog, `${new Date().toISOString()} ${process.pid} ${message}\n`);
    } catch {
      // A full disk is a fault like any other: the engine outlives it, and the line is lost.
    }
  };
  process.on('uncaughtException', (error) => {
    log(`uncaught: ${describe(error)}`);
    process.exit(1);
  });
  const databaseUrl = process.env['PALISADE_DATABASE_URL'];
  const leaseMs = leaseSetting(process.env);
  const composition = await compose({
    layout,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
    onFault: (error, runId) => log(`fault ${runId}: ${describe(error)}`),
  });
  const { engine, sealer } = composition;
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      stopping = true;
    });
  }
  await announce(layout.engineFile);
  await engine.start();
  await sealer.recover();
  await composition.sweep();
  let idleSince = Date.now();
  let sealedAt = Date.now();
  for (;;) {
    await delay(100);
    if (Date.now() - sealedAt > SEAL_AGAIN_MS) {
      sealedAt = Date.now();
      await sealer.recover();
    }
    if (engine.owned > 0) idleSince = Date.now();
    if (!stopping && Date.now() - idleSince < IDLE_MS) continue;
    await sealer.settle();
    // First take the sign down, then look once more: whoever commits a run after this look sees no
    // sign and starts an engine of its own, so no run is left without one.
    await withdraw(layout.engineFile);
    await engine.scan();
    if (stopping || engine.owned === 0) break;
    await announce(layout.engineFile);
    idleSince = Date.now();
  }
  await engine.stop();
  await composition.close();
}

async function announce(path: string): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, JSON.stringify(await identify(process.pid)));
  await rename(temporary, path);
}

/** Removes the sign if it is still this process's own. */
async function withdraw(path: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => '');
  if (text.includes(`"pid":${process.pid},`)) await rm(path, { force: true });
}

/** Ours with its text, a foreign error by its named fields and where it came from. */
function describe(error: unknown): string {
  if (isPalisadeError(error)) return `${error.code}: ${error.message}`;
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return [namedFields(error), ...stack.split('\n').filter((line) => /^\s+at /.test(line))].join('\n');
}

const root = process.argv[2];
if (root === undefined) {
  process.stderr.write('palisade engine: the project directory is missing\n');
  process.exit(2);
}
await main(root);
process.exit(0);
