import { revokeKey } from '@palisade/contracts';
import * as z from 'zod';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { moment } from '../output/time.ts';
import type { evidenceRevokeKeyCommand } from '../tree/product-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

const Moment = z.iso.datetime({ offset: true });

/** `pal evidence revoke-key KEY --since TIME`: what the key signed holds only where a verified time is earlier (DI-252). */
export const execute: Handler<typeof evidenceRevokeKeyCommand> = async (invocation, args, flags) => {
  const since = Moment.safeParse(flags.since);
  // A time without offset would be read by the clock of whoever asks.
  if (!since.success)
    throw new UsageError('--since takes a time with its offset', {
      next: `pal evidence revoke-key ${foreignLine(args.key)} --since 2026-01-31T12:00:00Z`,
    });
  const input = { keyid: args.key, since: Date.parse(since.data), ...invocation.rehearsed };
  const answer = await invocation.call(revokeKey, input);
  const at = moment(answer.revoked_at, invocation.settings.times);
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [answer.keyid],
    text: () => [`${outcome(invocation, 'revoke')}${foreignLine(answer.keyid)}  compromised since ${at}`],
  });
  invocation.hint('pal evidence trust-root -o FILE');
  return 0;
};
