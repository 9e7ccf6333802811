import {
  type BoundOperation,
  bindOperation,
  type CallContext,
  getPolicy,
  listPolicies,
  PalisadeError,
  PolicyFields,
  setPolicy,
} from '@palisade/contracts';
import type * as z from 'zod';
import { change } from '../callers/change.ts';
import { numberOf } from '../callers/page.ts';
import { assertMayChange, changedFields } from './policy.ts';
import { findPolicy, insertPolicy, listPolicyRows } from './policy-store.ts';
import { assertActive } from './project.ts';
import { advancePolicy, existingProject } from './project-store.ts';
import type { ProjectsDeps } from './project-ports.ts';

const PAGE = 50;

/** The operations on a project's policy (AC-071…AC-073). */
export function policyOperations(deps: ProjectsDeps): BoundOperation[] {
  const { database } = deps;
  return [
    bindOperation(getPolicy, ({ revision }, { project: key }) =>
      database.read(async (tx) => {
        const project = await existingProject(tx, key);
        const found = await findPolicy(tx, project, revision ?? project.policyRevision);
        if (found !== undefined) return found;
        throw new PalisadeError('not_found', `the policy of ${key} has no revision ${revision}`, {
          next: `pal project policy-history ${key}`,
        });
      }),
    ),
    bindOperation(listPolicies, ({ limit = PAGE, cursor }, { project: key }) =>
      database.read(async (tx) => {
        const before = cursor === undefined ? undefined : numberOf(cursor);
        const found = await listPolicyRows(tx, await existingProject(tx, key), { before, limit: limit + 1 });
        const data = found.slice(0, limit);
        const last = data.at(-1);
        const hasMore = found.length > limit;
        return {
          data,
          has_more: hasMore,
          ...(hasMore && last !== undefined ? { next_cursor: String(last.revision) } : {}),
        };
      }),
    ),
    bindOperation(setPolicy, (input, context) => set(deps, input, context)),
  ];
}

async function set(
  { database, ports }: ProjectsDeps,
  { dry_run: dryRun, ...input }: z.output<(typeof setPolicy)['input']>,
  context: CallContext,
): Promise<z.output<(typeof setPolicy)['output']>> {
  const { project: key, actor } = context;
  const { expected_revision: expected, provenance, ...wanted } = input;
  ports.scanText(input.rules, 'the rules');
  const made = {
    operation: setPolicy,
    action: 'project.policy_set',
    target: key,
    request: input,
    dryRun,
  } as const;
  const { answer } = await change(database, context, made, async (tx) => {
    const project = await existingProject(tx, key);
    assertActive(project);
    const before = await findPolicy(tx, project, project.policyRevision);
    if (before === undefined || expected !== project.policyRevision)
      throw new PalisadeError(
        'stale_revision',
        `the policy of ${key} is at revision ${project.policyRevision}, not ${expected}`,
        { next: `pal project policy ${key}, and decide anew` },
      );
    const stated = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
    const policy = PolicyFields.parse({ ...before.policy, ...stated });
    assertMayChange(context.caller, before.policy, changedFields(before.policy, policy));
    const revision = expected + 1;
    if (!(await advancePolicy(tx, key, expected)))
      throw new PalisadeError('stale_revision', `somebody else set the policy of ${key} meanwhile`);
    await insertPolicy(tx, key, { revision, policy, actor, provenance });
    const view = {
      revision,
      policy,
      actor,
      set_at: tx.now,
      ...(provenance === undefined ? {} : { provenance }),
    };
    return { answer: view, target: key, policy_revision: revision };
  });
  return answer;
}
