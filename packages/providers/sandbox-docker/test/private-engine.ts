import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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
  /** Starts a program where the engine is, in its namespaces; it ends with the engine. */
  readonly within: (...words: string[]) => void;
  /** Ends the engine as a crash would; its containers go on. */
  kill(): Promise<void>;
  /** Starts it again over what the last one left. */
  restart(): Promise<void>;
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

export interface EngineOptions {
  /** Shell lines that change what the engine sees of this machine's files, in a mount namespace of its own. */
  readonly elsewhere?: string;
  /** Programs of this machine that its image has besides busybox. */
  readonly programs?: readonly string[];
  /** Gives it a bridge for its containers, in a network namespace of its own. */
  readonly bridge?: boolean;
  /** More arguments of dockerd. */
  readonly args?: readonly string[];
}

/** @throws Error with the engine's last words when it does not come up */
export async function startEngine(options: EngineOptions = {}): Promise<PrivateEngine> {
  // The path of a socket has to be short.
  const root = mkdtempSync(join(tmpdir(), 'pal-docker-'));
  const socket = join(root, 'docker.sock');
  const client = new EngineClient({ kind: 'unix', path: socket });
  const keeper = await keepNamespaces(options);
  const inside = [`--target=${keeper.pid}`, '--mount', ...(options.bridge === true ? ['--net'] : []), '--'];
  let daemon: ChildProcess;
  const start = async (): Promise<void> => {
    daemon = spawn('nsenter', [...inside, 'dockerd', ...words(root, socket, options)], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH },
    });
    let said = '';
    daemon.stderr?.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-4_000)));
    for (const until = Date.now() + START_MS; !(await answers(client)); await delay(100)) {
      if (daemon.exitCode !== null) throw new Error(`dockerd ended: ${said}`);
      if (Date.now() > until) throw new Error(`dockerd does not answer: ${said}`);
    }
  };
  const beside: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const child of beside) await end(child, 'SIGKILL');
    await end(daemon, 'SIGTERM');
    // A shim and a containerd outlive the engine that was killed.
    for (const pid of processesOf(root)) process.kill(pid, 'SIGKILL');
    await end(keeper, 'SIGKILL');
    rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  try {
    await start();
    const env = {
      PATH,
      DOCKER_HOST: `unix://${socket}`,
      DOCKER_BUILDKIT: '0',
      PALISADE_IMAGE_PROGRAMS: (options.programs ?? []).join(' '),
    };
    const run = (program: string, ...args: string[]): string =>
      execFileSync(program, args, { env, encoding: 'utf8' }).trim();
    const image = run(IMAGE_SCRIPT, '--change', 'ENV OF_THE_IMAGE=1');
    return {
      env: { DOCKER_HOST: env.DOCKER_HOST, PALISADE_DOCKER_IMAGE: image },
      client,
      docker: (...args) => run('docker', ...args),
      within: (...args) => void beside.push(spawn('nsenter', [...inside, ...args], { stdio: 'ignore' })),
      kill: async () => {
        await end(daemon, 'SIGKILL');
        // What it started to manage containers; their shims, and they themselves, go on.
        for (const pid of processesOf(root, /^containerd\0/)) process.kill(pid, 'SIGKILL');
        // The next engine would take one that nobody collects for alive.
        rmSync(join(root, 'exec/containerd/containerd.pid'), { force: true });
      },
      restart: start,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A process in the namespaces of the engine: without its own, it would leave mounts and a bridge on the machine. */
async function keepNamespaces({ elsewhere = '', bridge = false }: EngineOptions): Promise<ChildProcess> {
  const lines = [elsewhere, ...(bridge ? ['ip link set lo up'] : []), 'echo', 'exec cat'].join('\n');
  const keeper = spawn('unshare', ['--mount', ...(bridge ? ['--net'] : []), '--', 'sh', '-c', lines], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH },
  });
  await Promise.race([once(keeper.stdout, 'data'), once(keeper, 'exit')]);
  if (keeper.exitCode !== null) throw new Error('the namespaces of the engine cannot be made');
  return keeper;
}

function words(root: string, socket: string, { bridge = false, args = [] }: EngineOptions): string[] {
  const places = { 'data-root': 'data', 'exec-root': 'exec', pidfile: 'pid' };
  return [
    ...Object.entries(places).flatMap(([flag, name]) => [`--${flag}`, join(root, name)]),
    `--host=unix://${socket}`,
    ...(bridge ? ['--bip=172.31.7.1/24'] : ['--bridge=none']),
    '--iptables=false',
    '--ip6tables=false',
    '--ip-masq=false',
    '--ip-forward=false',
    '--exec-opt=native.cgroupdriver=cgroupfs',
    '--log-level=error',
    ...args,
  ];
}

async function answers(client: EngineClient): Promise<boolean> {
  return client.ping().then(
    () => true,
    () => false,
  );
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await gone;
  clearTimeout(timer);
}

/** What the engine started, by its directory in their arguments. */
function processesOf(root: string, program = /^/): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return pid !== process.pid && command.includes(`${root}/`) && program.test(command);
      } catch {
        return false;
      }
    });
}
