import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeOpenDirectory, writeOpenFile } from './open-path.ts';

/** Where programs see the workspace, and the home directory that belongs to the sandbox. */
export const WORKSPACE = '/workspace';
export const HOME = '/home/agent';
/** The user id programs see themselves as. */
export const INNER_UID = 1000;

/** Top-level directories that hold programs and libraries and nothing of a user's. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** Files of /etc that programs need to run and that tell nothing about this installation's users. */
const ETC_FILES = [
  'debian_version',
  'ld.so.cache',
  'ld.so.conf',
  'localtime',
  'magic',
  'mime.types',
  'os-release',
  'protocols',
  'services',
  'ssl/openssl.cnf',
  'timezone',
];
/** Folders of that kind. */
const ETC_FOLDERS = [
  'alternatives',
  'crypto-policies',
  'fonts',
  'ld.so.conf.d',
  'pki',
  'ssl/certs',
  'terminfo',
];
/** A folder of no more files than this, and nothing but files, is copied and not bound. */
const FEW_FILES = 16;
/** Names are resolved only where there is a network. */
const ETC_WITH_NETWORK = ['resolv.conf'];

/**
 * The sandbox's own directories, below the state directory: `etc`, `home` and `tmp`. They are
 * directories and not tmpfs, because programs of one sandbox run one after another and the second
 * must find what the first one left in its home.
 *
 * What a start costs is processes and mounts, and each bind is two mounts and one reading of the list of
 * them. So what is small is copied, once for all starts of a sandbox. For the figures see `launcher.ts`.
 */
export interface OwnDirectories {
  readonly root: string;
  readonly etc: string;
  readonly home: string;
  readonly tmp: string;
  /** Folders of the host's /etc, by their path in it, that are to be seen in ours. */
  readonly etcFolders: readonly string[];
}

/** Makes the sandbox's own directories with a user list that knows one user. */
export function makeOwnDirectories(stateDir: string, network: boolean): OwnDirectories {
  const root = join(stateDir, 'sandbox');
  const own = { etc: join(root, 'etc'), home: join(root, 'home'), tmp: join(root, 'tmp') };
  for (const dir of [root, own.etc, own.home, own.tmp]) makeOpenDirectory(dir);
  const text = (name: string, lines: readonly string[]): void =>
    writeOpenFile(join(own.etc, name), `${lines.join('\n')}\n`);
  text('passwd', [
    `agent:x:${INNER_UID}:${INNER_UID}:agent:${HOME}:/bin/sh`,
    'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
  ]);
  text('group', [`agent:x:${INNER_UID}:`, 'nogroup:x:65534:']);
  text('hosts', ['127.0.0.1 localhost sandbox', '::1 localhost']);
  text('hostname', ['sandbox']);
  text('nsswitch.conf', ['passwd: files', 'group: files', network ? 'hosts: files dns' : 'hosts: files']);
  for (const name of [...ETC_FILES, ...(network ? ETC_WITH_NETWORK : [])]) copyFile(name, own.etc);
  return { root, ...own, etcFolders: ETC_FOLDERS.filter((name) => !isCopied(name, own.etc)) };
}

function copyFile(name: string, etc: string): void {
  let bytes: Buffer;
  try {
    bytes = readFileSync(join('/etc', name));
  } catch {
    return; // Not on this system, or nothing for everybody's eyes.
  }
  makeOpenDirectory(dirname(join(etc, name)));
  writeOpenFile(join(etc, name), bytes);
}

/** True when nothing of the folder has to be bound: it is not there, or small and copied. Else makes the place for the bind. */
function isCopied(name: string, etc: string): boolean {
  if (!existsSync(join('/etc', name))) return true;
  makeOpenDirectory(join(etc, name));
  const entries = readdirSync(join('/etc', name), { withFileTypes: true });
  if (entries.length > FEW_FILES || !entries.every((entry) => entry.isFile())) return false;
  for (const entry of entries) copyFile(join(name, entry.name), etc);
  return true;
}

/** A host path seen in the sandbox at `target`. */
export interface Bind {
  readonly source: string;
  readonly target: string;
  readonly writable: boolean;
}

/** Arguments that show the system read-only, and symlinks of the top level as the host has them. */
export function systemArguments(): string[] {
  const args: string[] = [];
  for (const path of SYSTEM) {
    if (!existsSync(path)) continue;
    if (lstatSync(path).isSymbolicLink()) args.push('--symlink', readlinkSync(path), path);
    else args.push('--ro-bind', path, path);
  }
  return args;
}

/** The running Node, for agents that need it, or null when it is part of the system. The file alone: it may lie in somebody's home. */
export function bundledNode(): string | null {
  return SYSTEM.some((root) => isBelow(process.execPath, root)) ? null : process.execPath;
}

/** True when `path` is `root` or inside of it. Both are absolute and normal. */
export function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(root === '/' ? '/' : `${root}/`);
}
