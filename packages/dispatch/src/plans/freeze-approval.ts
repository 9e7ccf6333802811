import {
  APPROVAL_EXECUTOR,
  type ApprovalSettings,
  canonicalHash,
  type Isolation,
  limits,
  type PlanItem,
} from '@palisade/contracts';
import type { FrozenItem } from './frozen-plan.ts';
import { dependenciesOf } from './plan-edges.ts';

/** An item that a person decides. What every item says of its program is filled in, and counts for nothing. */
export function freezeApproval(
  item: PlanItem,
  approval: ApprovalSettings,
  sandbox: { readonly name: string; readonly isolation: Isolation },
): FrozenItem {
  return {
    id: item.id,
    title: item.title ?? item.id,
    executor: APPROVAL_EXECUTOR,
    agent: { name: APPROVAL_EXECUTOR, hash: canonicalHash(approval) },
    prompt: null,
    model: null,
    capabilities: [],
    environments: [],
    envNames: [],
    secretRefs: [],
    inputRefs: Object.entries(item.inputs?.inputRefs ?? {}).map(([key, ref]) => ({ key, ref })),
    dependsOn: dependenciesOf(item),
    locks: [],
    needs: Object.entries(item.needs ?? {}).map(([key, need]) => ({ ...need, key })),
    ...(item.start_when === 'dependencies_ended' ? { atLeastDone: item.at_least_done ?? 0 } : {}),
    pipeline: [],
    maxAttempts: 1,
    backoffMs: 0,
    timeoutMs: limits.attemptMs,
    sandbox: {
      provider: sandbox.name,
      isolation: sandbox.isolation,
      network: false,
      memory_bytes: limits.memoryBytes,
      processes: limits.processes,
      file_bytes: limits.fileBytes,
      output_bytes: limits.outputBytes,
    },
    approval: {
      prompt: approval.prompt,
      role: approval.role ?? null,
      expiresMs: approval.expires_seconds === undefined ? null : approval.expires_seconds * 1000,
      onExpiry: approval.on_expiry ?? 'deny',
      fourEyes: approval.four_eyes === true,
      distinctFrom: [...(approval.distinct_from ?? [])],
    },
  };
}
