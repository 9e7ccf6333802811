import { AUDIT_STREAM, type AuditAction, type AuditFacts, type CallContext } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';

/** What an action was done to, and how it ended. */
export type Deed = Pick<AuditFacts, 'target' | 'outcome' | 'code' | 'replaces'>;

/** Appends one audit record (EX-214, AC-056): who did what to what; never what it was about. */
export async function record(
  tx: WriteTx,
  { actor, caller, requestId }: CallContext,
  as: AuditFacts['class'],
  action: AuditAction,
  deed: Deed,
): Promise<void> {
  await tx.journal.append(AUDIT_STREAM, action, {
    actor,
    principal: caller.principal,
    credential: caller.credential,
    class: as,
    ...deed,
    ...(requestId === undefined ? {} : { request: requestId }),
  });
}
