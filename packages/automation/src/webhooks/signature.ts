import { createHmac } from 'node:crypto';
import { PalisadeError, SIGNING_SECRET } from '@palisade/contracts';
import type { Message } from './delivery-store.ts';

/** The bytes of a signing secret: `whsec_` and their base64 (Standard Webhooks). Never fewer than 24 (DI-084). */
export function keyOf(secret: string): Buffer {
  const key = Buffer.from(SIGNING_SECRET.test(secret) ? secret.slice('whsec_'.length) : '', 'base64');
  if (key.length < 24 || key.length > 64)
    throw new PalisadeError('invalid_input', 'a signing secret is whsec_ and the base64 of 24 to 64 bytes');
  return key;
}

/**
 * The headers that prove where a message comes from and that nobody changed it: those of Standard Webhooks over
 * `<id>.<timestamp>.<body>`, and those of DI-083 over `<run>.<timestamp>.<body>`. Each key gives a signature, the
 * newest first. The time is that of the attempt, in seconds: a receiver refuses old ones.
 */
export function signatureHeaders(
  { id, runId, body }: Pick<Message, 'id' | 'runId' | 'body'>,
  keys: readonly Buffer[],
  nowMs: number,
): Record<string, string> {
  if (keys.length === 0) throw new PalisadeError('internal', 'a message is never sent without a signature');
  const timestamp = String(Math.floor(nowMs / 1000));
  const mac = (key: Buffer, subject: string, encoding: 'base64' | 'hex'): string =>
    createHmac('sha256', key).update(`${subject}.${timestamp}.${body}`).digest(encoding);
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map((key) => `v1,${mac(key, id, 'base64')}`).join(' '),
    'x-palisade-run-id': runId,
    'x-palisade-timestamp': timestamp,
    'x-palisade-signature': keys.map((key) => `sha256=${mac(key, runId, 'hex')}`).join(', '),
  };
}
