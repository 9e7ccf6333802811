import { rotateKey } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { moment } from '../output/time.ts';
import { askWord } from '../prompt.ts';
import { evidenceRotateKeyCommand } from '../tree/product-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

/**
 * `pal evidence rotate-key`: a new signing key. The private half of the former cannot come back, so the
 * key is shown and has to be named (cli.md §4).
 */
export const execute: Handler<typeof evidenceRotateKeyCommand> = async (invocation, _args, flags) => {
  const present = await invocation.call(rotateKey, { dry_run: true });
  const answer = invocation.isDryRun
    ? present
    : await invocation.call(rotateKey, {
        keyid: flags.confirm ?? (await confirmed(invocation, present.retired)),
      });
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [answer.keyid ?? answer.retired],
    text: () => [
      answer.keyid === undefined || answer.at === undefined
        ? `${outcome(invocation, 'retire')}${answer.retired}`
        : `ok       ${answer.keyid} signs since ${moment(answer.at, invocation.settings.times)}  retired ${answer.retired}`,
    ],
  });
  if (invocation.isDryRun) invocation.hint(`pal evidence rotate-key --confirm ${present.retired}`);
  else invocation.hint('pal evidence trust-root -o FILE');
  return 0;
};

async function confirmed(invocation: Invocation, keyid: string): Promise<string> {
  const { key } = evidenceRotateKeyCommand.asks;
  invocation.err.line(`this retires ${keyid}: its private half is destroyed and signs nothing any more`);
  const typed = await askWord(invocation, { ...key, flag: `--confirm ${keyid}` });
  if (typed !== keyid) throw new UsageError(`that is not ${keyid}: nothing was changed`);
  return keyid;
}
