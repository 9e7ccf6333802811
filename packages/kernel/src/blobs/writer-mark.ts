import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/*
 * A temp file's name says who writes it, `<place>-<pid>-<uuid>`, so that another process can tell a
 * crashed writer's leavings from work under way. `place` stands for host, boot and pid namespace:
 * only within one of them does a process id mean the same process.
 */
const PLACE = createHash('sha256')
  .update(JSON.stringify([hostname(), readBootId(), readPidNamespace()]))
  .digest('hex')
  .slice(0, 12);
const MARK = /^([0-9a-f]{12})-(\d{1,10})-[0-9a-f-]{36}$/;

/** A name no other writer uses. */
export function writerMark(): string {
  return `${PLACE}-${process.pid}-${randomUUID()}`;
}

/** True when the name's writer is known to be dead, false when it lives, undefined when that cannot be told from here. */
export function isWriterDead(name: string): boolean | undefined {
  const match = MARK.exec(name);
  if (match === null || match[1] !== PLACE) return undefined;
  try {
    process.kill(Number(match[2]), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

function readPidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
