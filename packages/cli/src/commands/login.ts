import { getEvidenceStatus } from '@palisade/contracts';
import { credentialsFile, keepToken } from '../server/credentials.ts';
import { serverCaller } from '../server/server-caller.ts';
import { foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { askSecret, needs } from '../prompt.ts';
import { readInput, readOffered } from '../read-input.ts';
import { loginCommand } from '../tree/server-commands.ts';
import type { Invocation } from '../invocation.ts';
import type { Handler } from './handler.ts';
import { secretText } from './secret-put.ts';

const TOKEN_BYTES = 1_024;
const SILENCE_MS = 10_000;

/** `pal login SERVER`: kept only when the server knows it. */
export const execute: Handler<typeof loginCommand> = async (invocation, args, flags) => {
  const token =
    flags.file === undefined
      ? await offeredOrAsked(invocation)
      : secretText(await readInput(invocation, flags.file, TOKEN_BYTES));
  const { originOf } = await import('@palisade/client');
  const origin = originOf(args.server);
  const where = flags.file === undefined || flags.file === '-' ? 'standard input' : flags.file;
  await serverCaller({ origin, token, where }, { patienceMs: 0 }).call(getEvidenceStatus, {});
  const file = credentialsFile(invocation.env);
  await keepToken(file, { origin, token }, invocation.interrupted);
  const answer = { server: origin, file };
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [origin],
    text: () => [`ok       ${origin}  kept in ${foreignName(file)}`],
  });
  invocation.hint(`pal config set server ${origin}`);
  return 0;
};

async function offeredOrAsked(invocation: Invocation): Promise<string> {
  const question = loginCommand.asks.token;
  if (invocation.stdin.isTTY) return askSecret(invocation, question);
  const bytes = await readOffered(invocation, TOKEN_BYTES, SILENCE_MS);
  if (bytes.length === 0) throw needs(question);
  return secretText(bytes);
}
