import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emit } from '../output/format.ts';
import { findProject, findWorkingTree } from '../project.ts';
import type { initCommand } from '../tree/installation-commands.ts';
import type { Handler } from './handler.ts';

/** `pal init`: a control plane at the top of this working tree (or here, outside of one). Repeating it changes nothing. */
export const execute: Handler<typeof initCommand> = async (invocation) => {
  const existing = findProject(invocation.directory);
  const directory = existing ?? findWorkingTree(invocation.directory) ?? invocation.directory;
  const plane = await invocation.connections.openControlPlane({ directory, create: true });
  await plane.close();
  hideFromVersionControl(directory);
  const answer = { directory, created: existing === undefined };
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [directory],
    text: () => [
      `${answer.created ? 'ok       control plane created' : 'ok       control plane was there'}  ${directory}`,
    ],
  });
  invocation.hint('pal run PLAN', 'pal demo');
  return 0;
};

/** The control plane holds keys: it must never be committed. */
function hideFromVersionControl(directory: string): void {
  const file = join(directory, '.palisade', '.gitignore');
  if (existsSync(file)) return;
  mkdirSync(join(directory, '.palisade'), { recursive: true });
  writeFileSync(file, '*\n');
}
