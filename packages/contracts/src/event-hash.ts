import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';

/** Version tag inside every hashed entry: fixed positions, so no two fields can be exchanged (DI-223). */
export const EVENT_FORMAT = 'palisade.event/1';

/** What is hashed of an event. `data` is the canonical JSON text of its data. */
export interface HashedEvent {
  readonly stream: string;
  readonly seq: number;
  readonly type: string;
  readonly at: number;
  readonly data: string;
}

/**
 * The chained hash of one event, lower-case hex:
 * `SHA-256(UTF-8(["palisade.event/1",stream,seq,type,at,data]) ‖ previous hash's 32 bytes)`, where the
 * array is canonical JSON and the previous hash of the first event (`seq` 0) is empty (DI-222).
 * The journal and every verifier use this one function (FF-138).
 */
export function eventHash(event: HashedEvent, previous: string | null): string {
  const head = canonicalJson([EVENT_FORMAT, event.stream, event.seq, event.type, event.at]);
  const text = `${head.slice(0, -1)},${event.data}]`;
  if (previous === null) return hash('sha256', text);
  return hash('sha256', Buffer.concat([Buffer.from(text, 'utf8'), Buffer.from(previous, 'hex')]));
}
