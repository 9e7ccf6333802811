import {
  APPROVAL_EXECUTOR,
  type ApprovalSettings,
  canonicalHash,
  type Isolation,
  limits,
  type PlanItem,
  type ReviewerTemplate,
} from '@palisade/contracts';
import type { FrozenItem, ItemTemplate } from './frozen-plan.ts';
import { dependenciesOf } from './plan-edges.ts';

type Sandbox = { readonly name: string; readonly isolation: Isolation };

/** An item that a person decides. */
export function freezeApproval(item: PlanItem, approval: ApprovalSettings, sandbox: Sandbox): FrozenItem {
  return {
    ...approvalTemplate(item, approval, sandbox),
    id: item.id,
    title: item.title ?? item.id,
    dependsOn: dependenciesOf(item),
    needs: Object.entries(item.needs ?? {}).map(([key, need]) => ({ ...need, key })),
    ...(item.start_when === 'dependencies_ended' ? { atLeastDone: item.at_least_done ?? 0 } : {}),
  };
}

/** A decision of a person to be asked for later. What every item says of its program is filled in, and counts for nothing. */
export function approvalTemplate(
  { title, inputs }: PlanItem | ReviewerTemplate,
  approval: ApprovalSettings,
  sandbox: Sandbox,
): ItemTemplate {
  return {
    title: title ?? '',
    executor: APPROVAL_EXECUTOR,
    agent: { name: APPROVAL_EXECUTOR, hash: canonicalHash(approval) },
    prompt: null,
    model: null,
    capabilities: [],
    environments: [],
    envNames: [],
    secretRefs: [],
    inputRefs: Object.entries(inputs?.inputRefs ?? {}).map(([key, ref]) => ({ key, ref })),
    locks: [],
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
