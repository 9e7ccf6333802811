import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Where a process id means one process: a host, one boot of its kernel, one pid namespace of that
 * boot. Start times are read on a clock that a time namespace may shift, so it belongs to the place.
 * A field is empty where the system does not say.
 */
export interface Place {
  /** Made from the host's name and the machine's own id, which is not to be shown around (machine-id(5)). */
  readonly host: string;
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly timeNamespace: string;
}

/** The number that every Linux kernel gives its first pid namespace (`PROC_PID_INIT_INO`). */
const FIRST_PID_NAMESPACE = '4026531836';

/** Begins a host that is known by more than its name. */
const BY_MACHINE_ID = 'm';

let found: Place | undefined;

/** The place of this process. */
export function thisPlace(): Place {
  return (found ??= findPlace());
}

/** True when ids and start times mean the same in both. Clones of a running machine share even its boot id, so all must agree. */
export function isSamePlace(one: Place, other: Place): boolean {
  return (
    one.host === other.host &&
    one.bootId === other.bootId &&
    one.pidNamespace === other.pidNamespace &&
    one.timeNamespace === other.timeNamespace &&
    one.bootId !== '' &&
    one.pidNamespace !== ''
  );
}

/**
 * True when `earlier` was a boot of the host of `now` that has ended. Containers never qualify: their
 * machine id comes with an image, so many hosts may show the same one.
 */
export function isEarlierBoot(earlier: Place, now: Place): boolean {
  const isMachine = ({ host, bootId, pidNamespace }: Place): boolean =>
    host.startsWith(BY_MACHINE_ID) && bootId !== '' && pidNamespace === FIRST_PID_NAMESPACE;
  return earlier.host === now.host && earlier.bootId !== now.bootId && isMachine(earlier) && isMachine(now);
}

function findPlace(): Place {
  return {
    host: findHost(),
    bootId: read('/proc/sys/kernel/random/boot_id'),
    // A /proc of another namespace than ours, as a chroot may have it, shows other processes under our ids.
    pidNamespace: read('/proc/self/stat').startsWith(`${process.pid} `) ? namespace('pid') : '',
    timeNamespace: namespace('time'),
  };
}

function findHost(): string {
  const machineId = read('/etc/machine-id');
  const isKnown = /^[0-9a-f]{32}$/.test(machineId);
  const hash = createHash('sha256').update(`palisade host\0${isKnown ? machineId : ''}\0${hostname()}`);
  return `${isKnown ? BY_MACHINE_ID : 'h'}${hash.digest('hex').slice(0, 16)}`;
}

function namespace(kind: 'pid' | 'time'): string {
  try {
    return /\d+/.exec(readlinkSync(`/proc/self/ns/${kind}`))?.[0] ?? '';
  } catch {
    return '';
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return '';
  }
}
