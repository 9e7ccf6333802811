import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EngineClient } from '../src/engine-client.ts';

/** A Docker engine of a test's own, with one small image, touching nothing of the machine's network. */
export interface PrivateEngine {
  /** The variables that name it and its image. */
  readonly env: Readonly<Record<'DOCKER_HOST' | 'PALISADE_DOCKER_IMAGE', string>>;
  readonly client: EngineClient;
  /** The docker command against this engine; returns what it prints. */
  readonly docker: (...args: string[]) => string;
  stop(): Promise<void>;
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const START_MS = 60_000;
const IMAGE_SCRIPT = resolve(import.meta.dirname, '../../../../docker/busybox-image.sh');

/** Why there can be no engine here, or null. */
export function whyNoEngine(): string | null {
  if (process.getuid?.() !== 0) return 'dockerd needs root';
  for (const program of ['dockerd', 'docker', 'busybox'])
    if (spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH } }).status !== 0)
      return `${program} is not installed (Debian: docker.io, busybox-static)`;
  return null;
}

/**
 * @param elsewhere shell lines that change what the engine sees of this machine's files, in a mount
 * namespace of its own
 * @throws Error with the engine's last words when it does not come up
 */
export async function startEngine(elsewhere = ''): Promise<PrivateEngine> {
  // The path of a socket has to be short.
  const root = mkdtempSync(join(tmpdir(), 'pal-docker-'));
  const socket = join(root, 'docker.sock');
  const places = { 'data-root': 'data', 'exec-root': 'exec', pidfile: 'pid' };
  const daemon = spawn(
    'unshare',
    [
      // Without its own namespace the engine would leave a mount on its directory.
      '--mount',
      '--',
      'sh',
      '-c',
      `${elsewhere}\nexec dockerd "$@"`,
      'sh',
      ...Object.entries(places).flatMap(([flag, name]) => [`--${flag}`, join(root, name)]),
      `--host=unix://${socket}`,
      '--bridge=none',
      '--iptables=false',
      '--ip6tables=false',
      '--ip-masq=false',
      '--ip-forward=false',
      '--exec-opt=native.cgroupdriver=cgroupfs',
      '--log-level=error',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH } },
  );
  let words = '';
  daemon.stderr.setEncoding('utf8').on('data', (text: string) => (words = `${words}${text}`.slice(-4_000)));
  const stop = (): Promise<void> => stopEngine(daemon, root);
  try {
    const client = new EngineClient({ kind: 'unix', path: socket });
    for (const until = Date.now() + START_MS; !(await answers(client)); await delay(100)) {
      if (daemon.exitCode !== null) throw new Error(`dockerd ended: ${words}`);
      if (Date.now() > until) throw new Error(`dockerd does not answer: ${words}`);
    }
    const env = { PATH, DOCKER_HOST: `unix://${socket}` };
    const run = (program: string, ...args: string[]): string =>
      execFileSync(program, args, { env, encoding: 'utf8' }).trim();
    const image = run(IMAGE_SCRIPT, '--change', 'ENV OF_THE_IMAGE=1');
    return {
      env: { DOCKER_HOST: env.DOCKER_HOST, PALISADE_DOCKER_IMAGE: image },
      client,
      docker: (...args) => run('docker', ...args),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function answers(client: EngineClient): Promise<boolean> {
  return client.ping().then(
    () => true,
    () => false,
  );
}

async function stopEngine(daemon: ChildProcess, root: string): Promise<void> {
  if (daemon.exitCode === null && daemon.signalCode === null) {
    const gone = once(daemon, 'exit');
    daemon.kill('SIGTERM');
    const timer = setTimeout(() => daemon.kill('SIGKILL'), 15_000);
    await gone;
    clearTimeout(timer);
  }
  rmSync(root, { recursive: true, force: true });
}
