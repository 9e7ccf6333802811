import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildCliPackage } from '../../scripts/build/cli-package.ts';
import { percentile, report } from './report.ts';

/** From the shell's start to the prompt again: the published command beside a Node that does nothing. */
export async function benchCli(directory: string, short: boolean): Promise<void> {
  const home = join(directory, 'cli');
  const project = join(directory, 'project');
  mkdirSync(project);
  await buildCliPackage(home);
  const run = (...args: string[]): number => {
    const start = performance.now();
    const ended = spawnSync(process.execPath, args, {
      cwd: project,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, HOME: directory, XDG_CACHE_HOME: join(directory, 'cache') },
    });
    if (ended.status !== 0) throw new Error(`${args.join(' ')} ended with ${ended.status}`);
    return performance.now() - start;
  };
  const pal = (...args: string[]): number => run(join(home, 'palisade.mjs'), '-q', ...args);
  pal('init');
  const times = { node: [] as number[], help: [] as number[], status: [] as number[] };
  // The first starts fill the compile cache; the three take turns, so that a busy moment hits all of them.
  for (let i = -3; i < (short ? 10 : 30); i++) {
    const round = { node: run('-e', '0'), help: pal('--help'), status: pal() };
    if (i >= 0) for (const key of ['node', 'help', 'status'] as const) times[key].push(round[key]);
  }
  const floor = percentile(times.node, 0.5);
  report('cli.help_ms', percentile(times.help, 0.5), 'ms', 'lower', floor, '< 100');
  report('cli.status_ms', percentile(times.status, 0.5), 'ms', 'lower', floor, '< 300');
}
