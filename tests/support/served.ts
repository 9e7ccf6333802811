import { type ChildProcess, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { CLI, until } from './installation.ts';

/** `pal serve` as a process of its own. */
export interface Served {
  readonly child: ChildProcess;
  readonly url: string;
  /** Its exit code, or null when a signal ended it. */
  readonly exit: Promise<number | null>;
  /** Its structured log so far. */
  log(): string;
}

/** Starts `pal serve` in a project and resolves when it listens; killed at the end of the test unless it has ended. */
export async function served(
  root: string,
  env: Readonly<Record<string, string>>,
  listen = '127.0.0.1:0',
  args: readonly string[] = [],
): Promise<Served> {
  const child: ChildProcess = spawn(process.execPath, [CLI, 'serve', '--listen', listen, '--json', ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    if (child.exitCode === null) child.kill('SIGKILL');
    await exit;
  });
  const line = await until('the server to listen', async () =>
    stdout.split('\n').find((each) => each !== ''),
  );
  const { url } = JSON.parse(line) as { url: string };
  return { child, url, exit, log: () => stderr };
}
