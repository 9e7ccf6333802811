import { foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { controlPlaneHome, setUp } from '../set-up.ts';
import type { initCommand } from '../tree/installation-commands.ts';
import type { Handler } from './handler.ts';

/** `pal init`: a control plane at the top of this working tree (or here, outside of one). Repeating it changes nothing. */
export const execute: Handler<typeof initCommand> = async (invocation) => {
  const answer = invocation.isDryRun ? controlPlaneHome(invocation) : await setUp(invocation);
  const words = `control plane ${answer.created ? (invocation.isDryRun ? 'here' : 'created') : 'was there'}`;
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [answer.directory],
    text: () => [
      `${answer.created ? outcome(invocation, 'create') : 'ok       '}${words}  ${foreignName(answer.directory)}`,
    ],
  });
  if (!invocation.isDryRun) invocation.hint('pal run PLAN', 'pal demo');
  return 0;
};
