import { existsSync, lstatSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeOpenDirectory, writeOpenFile } from './open-path.ts';

/** Where programs see the workspace, and the home directory that belongs to the sandbox. */
export const WORKSPACE = '/workspace';
export const HOME = '/home/agent';
/** The user id programs see themselves as. */
export const INNER_UID = 1000;

/** Top-level directories that hold programs and libraries and nothing of a user's. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** Parts of /etc that programs need to run and that tell nothing about this installation's users. */
const ETC = [
  'alternatives',
  'ca-certificates',
  'crypto-policies',
  'debian_version',
  'fonts',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'magic',
  'mime.types',
  'os-release',
  'pki',
  'protocols',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
  'terminfo',
  'timezone',
];
/** Names are resolved only where there is a network. */
const ETC_WITH_NETWORK = ['resolv.conf'];

/**
 * The sandbox's own directories, below the state directory: `etc`, `home` and `tmp`. They are
 * directories and not tmpfs, because programs of one sandbox run one after another and the second
 * must find what the first one left in its home.
 */
export interface OwnDirectories {
  readonly root: string;
  readonly etc: string;
  readonly home: string;
  readonly tmp: string;
}

/** Makes the sandbox's own directories with a user list that knows one user. */
export function makeOwnDirectories(stateDir: string, network: boolean): OwnDirectories {
  const root = join(stateDir, 'sandbox');
  const own = { root, etc: join(root, 'etc'), home: join(root, 'home'), tmp: join(root, 'tmp') };
  for (const dir of [own.root, own.etc, own.home, own.tmp]) makeOpenDirectory(dir);
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
  for (const name of network ? ETC_WITH_NETWORK : [])
    if (existsSync(join('/etc', name)))
      writeOpenFile(join(own.etc, name), readFileSync(join('/etc', name), 'utf8'));
  // What is bound later needs a place to be bound on, and must be made while this directory is still ours to write.
  for (const name of ETC) {
    const source = join('/etc', name);
    if (!existsSync(source)) continue;
    const target = join(own.etc, name);
    makeOpenDirectory(statSync(source).isDirectory() ? target : dirname(target));
    if (!existsSync(target)) writeOpenFile(target, '');
  }
  return own;
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

/** Arguments that show the chosen parts of the host's /etc on top of the sandbox's own. */
export function etcArguments(): string[] {
  return ETC.filter((name) => existsSync(join('/etc', name))).flatMap((name) => [
    '--ro-bind',
    join('/etc', name),
    join('/etc', name),
  ]);
}

/** The directory of the running Node, for agents that need it, or null when it is part of the system. */
export function nodeDirectory(): string | null {
  const dir = dirname(process.execPath);
  return SYSTEM.some((root) => isBelow(dir, root)) ? null : dir;
}

/** True when `path` is `root` or inside of it. Both are absolute and normal. */
export function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(root === '/' ? '/' : `${root}/`);
}
