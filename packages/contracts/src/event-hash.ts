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
  const { stream, seq, type, at, data } = event;
  const text = `${canonicalJson([EVENT_FORMAT, stream, seq, type, at]).slice(0, -1)},${data}]`;
  if (previous === null) return hash('sha256', text);
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(length + previous.length / 2);
  bytes.write(text, 'utf8');
  bytes.write(previous, length, 'hex');
  return hash('sha256', bytes);
}
