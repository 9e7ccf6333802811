import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './loot.mjs';

/** Namespaces, mounts, devices: more rights than were given. */
export function escapeAttacks({ pids, write }) {
  const place = join(process.cwd(), 'place');
  const there = () => {
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place);
    return place;
  };
  const tool = (program, ...args) => {
    run(program, ...args);
    return program;
  };
  const node = (type, major, minor) => () => {
    const path = join(there(), 'node');
    run('mknod', path, type, major, minor);
    const made = lstatSync(path);
    rmSync(path);
    if (!made.isBlockDevice() && !made.isCharacterDevice()) throw new Error('no device');
    return 'made';
  };
  const mount = (...args) => {
    const at = there();
    run('mount', ...args, at);
    run('umount', at);
    return 'mounted';
  };
  return {
    'namespace: user': () => tool('unshare', '--user', '--map-root-user', '--', 'true'),
    'namespace: user in user': () =>
      tool(
        'unshare',
        '--user',
        '--map-root-user',
        '--',
        'unshare',
        '--user',
        '--map-root-user',
        '--',
        'true',
      ),
    'namespace: mount': () => tool('unshare', '--mount', '--', 'true'),
    'namespace: network': () => tool('unshare', '--net', '--', 'true'),
    'namespace: processes': () => tool('unshare', '--pid', '--fork', '--', 'true'),
    'namespace: mount by user': () =>
      tool('unshare', '--user', '--map-root-user', '--mount', '--', 'mount', '-t', 'tmpfs', 'none', there()),
    'namespace: that of its supervisor': () =>
      tool('nsenter', `--mount=/proc/${pids.engine}/ns/mnt`, '--', 'true'),
    'namespace: network of the first process': () => tool('nsenter', '--net=/proc/1/ns/net', '--', 'true'),
    'mount: memory': () => mount('-t', 'tmpfs', 'none'),
    'mount: a directory': () => mount('--bind', write.directory),
    'mount: its own directory': () => mount('--bind', process.cwd()),
    'mount: processes': () => mount('-t', 'proc', 'none'),
    'device: block': node('b', '7', '0'),
    'device: memory': node('c', '1', '1'),
    'root: chroot': () => tool('chroot', '/', '/bin/true'),
    'root: another user': () => {
      process.setgid(0);
      process.setuid(0);
      if (lstatSync('/proc/self').uid !== 0) throw new Error('not root');
      return 'root';
    },
    'root: host name': () => {
      run('hostname', run('hostname').toString('utf8').trim());
      return 'set';
    },
  };
}
