import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { commandHelp, groupHelp, overview } from '../tree/help.ts';
import type { helpCommand } from '../tree/installation-commands.ts';
import { nearest } from '@palisade/contracts/nearest';
import { findCommand, resolveCommand } from '../tree/resolve.ts';
import { commands } from '../tree/tree.ts';
import { UsageError } from '../tree/usage-error.ts';
import { topic, topicNames } from '../tree/topics.ts';
import type { Handler } from './handler.ts';

/** `pal help [COMMAND or TOPIC]`. */
export const execute: Handler<typeof helpCommand> = async (invocation, args) => {
  const words = args.topic ?? [];
  const name = words.join(' ');
  const text = await helpText(name, words);
  emit(invocation, {
    json: { topic: name, text },
    records: [{ topic: name, text }],
    ids: [name],
    text: () => text.trimEnd().split('\n'),
  });
  return 0;
};

async function helpText(name: string, words: readonly string[]): Promise<string> {
  if (name === '') return overview();
  const found = findCommand(name);
  if (found !== undefined) return commandHelp(found);
  const text = (await topic(name)) ?? groupHelp(name);
  if (text !== undefined) return text;
  const meant = nearest(name, [...topicNames, ...commands.map((entry) => entry.path)]);
  if (meant !== undefined)
    throw new UsageError(`no help for "${foreignLine(name)}"`, { next: `pal help ${meant}` });
  return commandHelp(resolveCommand(words).declaration);
}
