import manifest from '../../package.json' with { type: 'json' };
import { emit } from '../output/format.ts';
import type { versionCommand } from '../tree/installation-commands.ts';
import type { Handler } from './handler.ts';

/** `pal version`. */
export const execute: Handler<typeof versionCommand> = async (invocation) => {
  const facts = {
    palisade: manifest.version,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  };
  emit(invocation, {
    json: facts,
    records: [facts],
    ids: [facts.palisade],
    text: () => [
      invocation.settings.isVerbose
        ? `palisade ${facts.palisade}  node ${facts.node} (${process.execPath})  ${facts.platform}`
        : `palisade ${facts.palisade}  node ${facts.node}  ${facts.platform}`,
    ],
  });
  return 0;
};
