import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CLI, makeRepository, palisade, removeInstallation, until } from '../support/installation.ts';
import { planFile } from '../support/plan-file.ts';
import { enginesOf, processTable, running, uniqueSeconds } from '../support/processes.ts';

let root = '';
afterEach(() => removeInstallation(root));

const hasScript = existsSync('/usr/bin/script');

describe.skipIf(!hasScript)(
  `a run and its terminal${hasScript ? '' : ' (skipped: no script(1) here)'}`,
  () => {
    for (const how of ['SIGHUP to its session', 'SIGKILL of the terminal'] as const) {
      it(`a run goes on after ${how}, and another terminal watches it`, {
        timeout: 60_000,
      }, async () => {
        root = makeRepository({ 'a.txt': 'zero\n' });
        expect((await palisade(root, ['init'])).code).toBe(0);
        const agent = uniqueSeconds(4);
        planFile(root, { items: [{ id: 'a', command: `sleep ${agent}; echo one > a.txt` }] });
        const typescript = join(root, '.palisade/typescript');
        // A terminal of its own in a session of its own, as a window that is closed.
        const terminal = spawn(
          '/usr/bin/script',
          ['-qfec', `'${process.execPath}' '${CLI}' run .palisade/plan.json --run-id pty`, typescript],
          {
            cwd: root,
            detached: true,
            stdio: 'ignore',
            env: { ...process.env, TERM: 'xterm', COLUMNS: '80' },
          },
        );
        await until('the agent to run', async () => running(`sleep ${agent}`).length > 0);
        const watcher = processTable().find(
          (entry) =>
            entry.command.includes('--run-id pty') &&
            !entry.command.startsWith('/usr/bin/script') &&
            !entry.command.startsWith('sh '),
        );
        if (watcher === undefined || terminal.pid === undefined) throw new Error('nobody watches');
        if (how === 'SIGKILL of the terminal') process.kill(terminal.pid, 'SIGKILL');
        else for (const pid of [watcher.pid, terminal.pid]) process.kill(pid, 'SIGHUP');
        await until('the command to end with its terminal', async () =>
          processTable().every((entry) => entry.pid !== watcher.pid),
        );
        expect(enginesOf(root)).toHaveLength(1);
        const watched = await palisade(root, ['watch', 'pty']);
        expect(watched, watched.stderr).toMatchObject({ code: 0, signal: null });
        expect(watched.stdout).toContain('pty');
        const diff = await palisade(root, ['diff', 'pty', '--raw']);
        expect(diff.stdout).toContain('+one');
        expect(readFileSync(typescript, 'utf8')).toContain('pty');
      });
    }
  },
);
