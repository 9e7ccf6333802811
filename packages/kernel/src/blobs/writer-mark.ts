import { randomUUID } from 'node:crypto';
import { ownName, verdictOn } from '@palisade/process';

/*
 * A temp file's name says who writes it, `<process>.<uuid>`, so that another process can tell a
 * crashed writer's leavings from work under way.
 */

/** A name no other writer uses. */
export function writerMark(): string {
  return `${ownName()}.${randomUUID()}`;
}

/** True when the writer of the file with this name is known to be dead. */
export function isWriterDead(name: string): boolean {
  return verdictOn(name.split('.')[0] ?? '') === 'dead';
}
