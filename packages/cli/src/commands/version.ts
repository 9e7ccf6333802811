import { PRODUCT_VERSION, SOURCE_COMMIT } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import type { versionCommand } from '../tree/installation-commands.ts';
import type { Handler } from './handler.ts';

/** `pal version`. */
export const execute: Handler<typeof versionCommand> = async (invocation) => {
  const facts = {
    palisade: PRODUCT_VERSION,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    ...(SOURCE_COMMIT === null ? {} : { source_commit: SOURCE_COMMIT }),
  };
  emit(invocation, {
    json: facts,
    records: [facts],
    ids: [facts.palisade],
    text: () => [
      invocation.settings.isVerbose
        ? `palisade ${facts.palisade}${SOURCE_COMMIT === null ? '' : ` of ${SOURCE_COMMIT}`}  node ${facts.node} (${process.execPath})  ${facts.platform}`
        : `palisade ${facts.palisade}  node ${facts.node}  ${facts.platform}`,
    ],
  });
  return 0;
};
