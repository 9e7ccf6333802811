/*
 * Runs the test suites with a private PostgreSQL: `node scripts/test.ts [vitest arguments]`. The
 * server's address is in PALISADE_TEST_POSTGRES; a machine without PostgreSQL skips that half, said
 * by every skipped suite. A run of everything installs the real agent programs when they are missing
 * (PALISADE_TEST_AGENTS=installed uses what is there, as a run of a part does); without them their
 * suites are skipped, which say why. Ends with vitest's exit code, and stops the server however it ends.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installAgentPrograms } from '../tests/support/agent-programs.ts';
import { PostgresServer } from '../tests/support/postgres.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

async function main(): Promise<number> {
  let vitest: ChildProcess | undefined;
  let interrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      interrupted = true;
      vitest?.kill('SIGTERM');
    });
  const agents = await agentPrograms();
  if (interrupted) return 130;
  const given = process.env['PALISADE_TEST_POSTGRES'];
  // Nobody crashes this one, so its commits need not wait for a disk; tests of that start their own.
  const server = given === undefined ? await PostgresServer.create(['fsync=off']) : null;
  try {
    if (interrupted) return 130;
    const url = given ?? server?.url;
    if (url === undefined) console.error('no PostgreSQL on this machine: its suites are skipped');
    vitest = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)], {
      cwd: root,
      stdio: 'inherit',
      env: {
        // What the tests start from sources is compiled once.
        NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/palisade-tests/compiled'),
        ...process.env,
        ...agents,
        ...(url === undefined ? {} : { PALISADE_TEST_POSTGRES: url }),
      },
    });
    const [code] = (await once(vitest, 'exit')) as [number | null];
    return interrupted ? 130 : (code ?? 1);
  } finally {
    await server?.remove();
  }
}

/** Installs the agent programs before all tests; the environment says why they are missing. */
async function agentPrograms(): Promise<Record<string, string>> {
  if (process.argv.length > 2 || process.env['PALISADE_TEST_AGENTS'] === 'installed') return {};
  const missing = await installAgentPrograms();
  if (missing === null) return {};
  console.error(`the agent programs are missing, their suites are skipped: ${missing}`);
  return { PALISADE_TEST_AGENTS_MISSING: missing };
}

process.exitCode = await main();
