import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { compose } from './compose.ts';
import { describeFault, engineLog } from './engine-log.ts';
import { announceEngine, withdrawEngine } from './engine-sign.ts';
import { layoutOf } from './layout.ts';
import { operatorSettings } from './operator-settings.ts';
import { runEngine } from './run-engine.ts';

/** An engine without work leaves after this long; the next submission starts another. */
const IDLE_MS = 3_000;

/**
 * Entry point of the detached engine of a local control plane. It belongs to no terminal: it owns runs
 * until none is left, and any number of command lines may come and go meanwhile.
 */
async function main(root: string): Promise<void> {
  const layout = layoutOf(root);
  const log = engineLog(layout.engineLog);
  process.on('uncaughtException', (error) => {
    log.line(`uncaught: ${describeFault(error)}`);
    process.exit(1);
  });
  const composition = await compose({
    layout,
    ...operatorSettings(process.env),
    onWarning: (message) => log.line(`warning: ${message}`),
    onFault: log.fault,
  });
  const { engine, sealer, plane } = composition;
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      stopping = true;
    });
  }
  await announceEngine(plane.engineFile);
  const running = await runEngine(composition, log.line);
  let idleSince = Date.now();
  for (;;) {
    await delay(100);
    if (running.isBusy) idleSince = Date.now();
    if (!stopping && Date.now() - idleSince < IDLE_MS) continue;
    // An open database outlives its files: without them nobody will ever ask for what waits in it.
    if (!existsSync(layout.home)) break;
    try {
      if (!stopping && (await running.hasWork())) {
        idleSince = Date.now();
        continue;
      }
      await sealer.settle();
      // First take the sign down, then look once more: whoever commits a run after this look sees no
      // sign and starts an engine of its own, so no run is left without one.
      await withdrawEngine(plane.engineFile);
      await engine.scan();
      if (stopping || !(await running.hasWork())) break;
      await announceEngine(plane.engineFile);
    } catch (error) {
      // A database that is away must not make an engine leave runs that nobody else takes up.
      log.fault(error, '');
      if (stopping) break;
    }
    idleSince = Date.now();
  }
  await running.stop();
  await composition.close();
}

const root = process.argv[2];
if (root === undefined) {
  process.stderr.write('palisade engine: the project directory is missing\n');
  process.exit(2);
}
await main(root);
process.exit(0);
