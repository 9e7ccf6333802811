import { randomBytes } from 'node:crypto';
import { listWebhooks, setWebhook } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { readInput } from '../read-input.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { webhookSetCommand } from '../tree/webhook-commands.ts';
import type { Handler } from './handler.ts';
import { secretText } from './secret-put.ts';

const SECRET_BYTES = 1_024;
const KEY_BYTES = 32;

/** `pal webhook set NAME`: a generated key is printed here and can be had nowhere else. */
export const execute: Handler<typeof webhookSetCommand> = async (invocation, args, flags) => {
  const isGenerated =
    flags.secret === undefined ? await isNew(invocation, args.name) : flags.secret === 'generated';
  const secret = isGenerated
    ? `whsec_${randomBytes(KEY_BYTES).toString('base64')}`
    : flags.secret === undefined
      ? undefined
      : await readSecret(invocation, flags.secret);
  const answer = await invocation.call(setWebhook, {
    name: args.name,
    ...invocation.rehearsed,
    ...(flags.url === undefined ? {} : { url: flags.url }),
    ...(secret === undefined ? {} : { secret }),
    ...(flags.overlap === undefined ? {} : { overlap_ms: flags.overlap }),
    ...(flags.bearer === undefined ? {} : { bearer: flags.bearer === 'none' ? null : flags.bearer }),
    ...(flags.allowPrivate ? { allow_private: true } : {}),
  });
  const { webhook } = answer;
  const shown = isGenerated && !invocation.isDryRun ? { secret } : {};
  emit(invocation, {
    json: { ...answer, ...shown },
    records: [{ ...webhook, ...shown }],
    ids: [webhook.name],
    text: () => [
      `${outcome(invocation, 'set')}${webhook.name}  ${webhook.origin}  key ${webhook.key_version}`,
      ...(shown.secret === undefined ? [] : [`         ${shown.secret}`]),
    ],
  });
  const dropped = (answer.dropped ?? []).map((each) => (each === 'bearer' ? '--bearer' : '--allow-private'));
  if (dropped.length > 0)
    invocation.err.line(`note: it leads elsewhere now, so ${dropped.join(' and ')} must be given anew`);
  if (shown.secret !== undefined)
    invocation.err.line('note: the key is shown this once; the receiver needs it');
  if (!invocation.isDryRun) invocation.hint(`pal webhook test ${webhook.name}`);
  return 0;
};

async function isNew(invocation: Invocation, name: string): Promise<boolean> {
  const { data } = await invocation.call(listWebhooks, {});
  return !data.some((webhook) => webhook.name === name);
}

async function readSecret(invocation: Invocation, word: string): Promise<string> {
  if (!word.startsWith('@'))
    throw new UsageError('--secret takes generated or @FILE, not a value', {
      why: 'a value on the command line can be seen by other users',
      next: '--secret generated, or --secret @- with the key on standard input',
    });
  return secretText(await readInput(invocation, word.slice(1), SECRET_BYTES));
}
