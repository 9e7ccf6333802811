import { AGENTS_BLOCK, installAgentsBlock } from '@palisade/memory';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { findWorkingTree } from '../project.ts';
import type * as tree from '../tree/repo-commands.ts';
import type { Handler } from './handler.ts';

/** `pal repo agents`. */
export const show: Handler<typeof tree.repoAgentsCommand> = (invocation) => {
  emit(invocation, {
    json: { text: AGENTS_BLOCK },
    records: [{ text: AGENTS_BLOCK }],
    ids: [],
    text: () => AGENTS_BLOCK.trimEnd().split('\n'),
  });
  return Promise.resolve(0);
};

/** `pal repo agents-install`. */
export const install: Handler<typeof tree.repoAgentsInstallCommand> = (invocation) => {
  const { directory, isDryRun } = invocation;
  const data = installAgentsBlock(findWorkingTree(directory) ?? directory, isDryRun);
  emit(invocation, {
    json: { data },
    records: data,
    ids: data.map(({ path }) => path),
    text: () =>
      data.map(
        ({ path, change }) =>
          `${isDryRun && change !== 'unchanged' ? 'would be ' : ''}${change}  ${foreignLine(path)}`,
      ),
  });
  return Promise.resolve(0);
};
