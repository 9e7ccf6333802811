import type { DeployChange, deploy } from '@palisade/contracts';
import type { Input } from '../../src/invocation.ts';

const HASHES = [`sha256:${'ab'.repeat(32)}`, `sha256:${'cd'.repeat(32)}`] as const;

/** A deployment where capabilities are new, the rest changed, and an agent of an earlier one is gone. */
export function deployment({
  name,
  entries,
  prune,
  dry_run: isDryRun = false,
}: Input<typeof deploy>): object {
  const outcome = isDryRun ? 'planned' : 'done';
  const data: DeployChange[] = entries.map(({ kind, input }) =>
    kind === 'capability'
      ? { kind, name: input.name, action: 'create', after: HASHES[0], outcome }
      : {
          kind,
          name: input.name,
          action: 'update',
          before: HASHES[0],
          after: HASHES[1],
          changed: ['model', 'run.permission'],
          outcome,
        },
  );
  const isPruned = prune === true || (prune ?? []).length > 0;
  data.push({ kind: 'agent', name: 'old', action: isPruned ? 'remove' : 'keep', before: HASHES[0], outcome });
  return { name, dry_run: isDryRun, complete: true, data };
}
