import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Docker from 'dockerode';

/** A Docker engine of the test's own, with one small image, touching nothing of the machine's network. */
export interface TestDaemon {
  readonly docker: Docker;
  readonly socket: string;
  /** Id of an image with busybox, which is sh, env and the POSIX tools. */
  readonly image: string;
  stop(): Promise<void>;
}

const PATHS = '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin';

/** Why there can be no daemon here, or null. */
export function whyNoDaemon(): string | null {
  if (process.getuid?.() !== 0) return 'dockerd needs root';
  for (const program of ['dockerd', 'busybox'])
    if (spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH: PATHS } }).status !== 0)
      return `${program} is not installed (Debian: docker.io, busybox-static)`;
  return null;
}

export async function startDaemon(): Promise<TestDaemon> {
  // The socket's path has to be short.
  const root = mkdtempSync(join(tmpdir(), 'pal-docker-'));
  const socket = join(root, 'docker.sock');
  const daemon = spawn(
    'dockerd',
    [
      '--data-root',
      join(root, 'data'),
      '--exec-root',
      join(root, 'exec'),
      '--pidfile',
      join(root, 'pid'),
      '--host',
      `unix://${socket}`,
      '--bridge=none',
      '--iptables=false',
      '--ip6tables=false',
      '--ip-masq=false',
      '--ip-forward=false',
      '--exec-opt',
      'native.cgroupdriver=cgroupfs',
      '--log-level',
      'error',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: PATHS } },
  );
  let words = '';
  daemon.stderr?.on('data', (bytes: Buffer) => (words = `${words}${bytes.toString()}`.slice(-4_000)));
  const docker = new Docker({ socketPath: socket });
  const stop = () => stopDaemon(daemon, root);
  try {
    for (let attempt = 0; ; attempt++) {
      if (daemon.exitCode !== null) throw new Error(`dockerd ended: ${words}`);
      if (
        await docker.ping().then(
          () => true,
          () => false,
        )
      )
        break;
      if (attempt > 150) throw new Error(`dockerd does not answer: ${words}`);
      await delay(200);
    }
    return { docker, socket, image: importImage(socket, root), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** An image of busybox alone, made without a registry. */
function importImage(socket: string, root: string): string {
  const tree = join(root, 'image');
  for (const dir of ['bin', 'sbin', 'usr/bin', 'tmp', 'proc', 'sys', 'dev', 'etc'])
    mkdirSync(join(tree, dir), { recursive: true });
  chmodSync(join(tree, 'tmp'), 0o1777);
  const busybox = execFileSync('sh', ['-c', 'command -v busybox'], { env: { PATH: PATHS } })
    .toString()
    .trim();
  copyFileSync(busybox, join(tree, 'bin/busybox'));
  for (const applet of execFileSync(busybox, ['--list']).toString().split('\n')) {
    if (applet === '' || applet === 'busybox') continue;
    for (const dir of ['bin', 'usr/bin']) symlinkSync('/bin/busybox', join(tree, dir, applet));
  }
  const tar = execFileSync('tar', ['-C', tree, '-cf', '-', '.'], { maxBuffer: 64 * 1024 * 1024 });
  rmSync(tree, { recursive: true });
  return execFileSync('docker', ['import', '-', 'palisade-test:1'], {
    input: tar,
    env: { PATH: PATHS, DOCKER_HOST: `unix://${socket}` },
  })
    .toString()
    .trim();
}

async function stopDaemon(daemon: ChildProcess, root: string): Promise<void> {
  if (daemon.exitCode === null && daemon.signalCode === null) {
    const gone = once(daemon, 'exit');
    daemon.kill('SIGTERM');
    const timer = setTimeout(() => daemon.kill('SIGKILL'), 15_000);
    await gone;
    clearTimeout(timer);
  }
  // The daemon leaves a bind mount on its own directory.
  spawnSync('umount', [join(root, 'data')], { stdio: 'ignore' });
  rmSync(root, { recursive: true, force: true });
}
