import { foreignLine, foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { count } from '../output/time.ts';
import { readPipeline } from '../pipeline-file.ts';
import { INVALID_PLAN_EXIT, warningRows } from '../plan-file.ts';
import type { pipelineValidateCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';

/** `pal pipeline validate FILE`: every problem at once, offline; exit 2 when there is one. */
export const execute: Handler<typeof pipelineValidateCommand> = async (invocation, args, flags) => {
  const read = await readPipeline(invocation, args.source, 'pipeline', flags.allowPattern);
  const { validatePipeline } = await import('@palisade/server');
  const checked = validatePipeline(read);
  const blocks = checked.ok ? checked.input.blocks.length : 0;
  const { uncountedChecks } = await import('@palisade/contracts');
  const warnings = checked.ok
    ? uncountedChecks(checked.input.blocks).map(({ path, message }) => ({ path: `blocks${path}`, message }))
    : [];
  const file = foreignName(args.source);
  emit(invocation, {
    json: {
      ok: checked.ok,
      blocks,
      issues: checked.issues,
      ...(warnings.length === 0 ? {} : { warnings }),
    },
    records: checked.ok ? [{ path: '', message: 'ok' }] : checked.issues,
    ids: checked.issues.map(({ path }) => path),
    text: () =>
      checked.ok
        ? [`ok       ${file}  ${count(blocks, 'block')}`, ...warningRows(warnings)]
        : [
            ...checked.issues.map(
              ({ path, message }) => `fail     ${foreignLine(path)}: ${foreignLine(message)}`,
            ),
            `${count(checked.issues.length, 'problem')} in ${file}`,
          ],
  });
  if (!checked.ok) return INVALID_PLAN_EXIT;
  invocation.hint(`pal pipeline register NAME ${args.source}`);
  return 0;
};
