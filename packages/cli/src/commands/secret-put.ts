import { putSecret } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { moment } from '../output/time.ts';
import type { Invocation } from '../invocation.ts';
import { askSecret, needs } from '../prompt.ts';
import { secretPutCommand } from '../tree/registry-commands.ts';
import { readInput, readOffered } from '../read-input.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

const SECRET_BYTES = 65_536;
const SILENCE_MS = 10_000;

/** `pal secret put NAME`: the value comes from a file, from standard input that is no terminal, or from a hidden prompt. */
export const execute: Handler<typeof secretPutCommand> = async (invocation, args, flags) => {
  const value =
    flags.file === undefined
      ? await offeredOrAsked(invocation)
      : secretText(await readInput(invocation, flags.file, SECRET_BYTES));
  const answer = await invocation.call(putSecret, {
    name: args.name,
    value,
    ...invocation.rehearsed,
    ...(flags.ttl === undefined ? {} : { ttl_ms: flags.ttl }),
  });
  const expiry =
    answer.expires_at === undefined ? '' : `  until ${moment(answer.expires_at, invocation.settings.times)}`;
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [answer.ref],
    text: () => [
      `${outcome(invocation, 'put')}${answer.name}  version ${answer.version}  ${answer.ref}${expiry}`,
    ],
  });
  invocation.hint(`pal env register NAME --secret KEY=${answer.ref}`);
  return 0;
};

async function offeredOrAsked(invocation: Invocation): Promise<string> {
  const question = secretPutCommand.asks.value;
  if (invocation.stdin.isTTY) return askSecret(invocation, question);
  const bytes = await readOffered(invocation, SECRET_BYTES, SILENCE_MS);
  if (bytes.length === 0) throw needs(question);
  return secretText(bytes);
}

/** Bytes as a secret: UTF-8, one line break at the end dropped. */
export function secretText(bytes: Buffer): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError('a secret must be UTF-8 text');
  }
  const value = text.replace(/\r?\n$/, '');
  if (value === '') throw new UsageError('the secret is empty');
  return value;
}
