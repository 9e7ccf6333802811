import { type Bind, HOME, INNER_UID, isBelow, systemArguments, WORKSPACE } from './system-view.ts';

/** What one program's sandbox is made of. */
export interface View {
  /** The sandbox's own /etc, /tmp and home, the workspace, and what is shared read-only, in this order. */
  readonly binds: readonly Bind[];
  readonly network: boolean;
  /** Most bytes of files in memory. */
  readonly memoryBytes: number;
  /** Working directory inside. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Descriptors bubblewrap reads the filter from and writes its status to. */
  readonly seccompFd: number;
  readonly statusFd: number;
}

/**
 * The arguments as bubblewrap reads them from a descriptor: each ended by NUL. They hold the
 * program's environment, which therefore appears in no command line (DI-109). The order is the
 * order of mounting: a later one may lie inside of an earlier one.
 */
export function bubblewrapArguments(view: View): Buffer {
  const args = [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup',
    ...(view.network ? [] : ['--unshare-net']),
    '--disable-userns',
    '--cap-drop',
    'ALL',
    '--uid',
    String(INNER_UID),
    '--gid',
    String(INNER_UID),
    '--hostname',
    'sandbox',
    '--die-with-parent',
    '--new-session',
    ...systemArguments(),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    // Files in memory count towards no limit of a process, so there is one place for them, and it has a size.
    '--size',
    String(view.memoryBytes),
    '--tmpfs',
    '/dev/shm',
    '--remount-ro',
    '/dev',
    '--dir',
    '/var',
    '--symlink',
    '/tmp',
    '/var/tmp',
    '--dir',
    '/run',
    '--dir',
    '/root',
    ...view.binds.flatMap((bind) => [bind.writable ? '--bind' : '--ro-bind', bind.source, bind.target]),
    // What is mounted on stays writable or not as it was; only the empty root of our own closes.
    '--remount-ro',
    '/',
    '--chdir',
    view.cwd,
    '--clearenv',
    ...Object.entries(view.env).flatMap(([name, value]) => ['--setenv', name, value]),
    '--seccomp',
    String(view.seccompFd),
    '--json-status-fd',
    String(view.statusFd),
  ];
  return Buffer.from(args.map((arg) => `${arg}\0`).join(''), 'utf8');
}

/** Places a home directory or a read-only path must not be put on: they are the sandbox's own. */
const RESERVED = ['/proc', '/dev', '/etc', WORKSPACE];

/** Why a host path cannot be shown at the same path inside, or null. */
export function bindFault(path: string): string | null {
  if (path === '/') return 'the root directory cannot be shared';
  const reserved = RESERVED.find((root) => isBelow(path, root));
  return reserved === undefined ? null : `${reserved} belongs to the sandbox`;
}

/**
 * Where the sandbox's home directory is to be seen as well: at the place the environment calls
 * HOME, unless a program would find something else there already.
 */
export function homeTarget(home: string | undefined, taken: readonly string[]): string | null {
  if (home === undefined || !home.startsWith('/') || home === HOME) return null;
  const isTaken = ['/tmp', '/usr', '/var', '/run', ...RESERVED, ...taken].some((root) => isBelow(home, root));
  return isTaken || taken.some((path) => isBelow(path, home)) || home === '/' ? null : home;
}
