import {
  AUDIT_STREAM,
  type AuditAction,
  type AuditFacts,
  type CallContext,
  type EventData,
} from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';

/** What an action was done to, and how it ended; what else its record says. */
export type Deed<A extends AuditAction> = Omit<
  EventData<A>,
  'actor' | 'principal' | 'credential' | 'class' | 'request'
>;

/** Appends one audit record (EX-214, AC-056): who did what to what; never what it was about. */
export async function record<A extends AuditAction>(
  tx: WriteTx,
  { actor, caller, requestId }: Pick<CallContext, 'actor' | 'caller' | 'requestId'>,
  as: AuditFacts['class'],
  action: A,
  deed: Deed<A>,
): Promise<void> {
  const facts = {
    actor,
    principal: caller.principal,
    credential: caller.credential,
    class: as,
    ...deed,
    ...(requestId === undefined ? {} : { request: requestId }),
  };
  await tx.journal.append(AUDIT_STREAM, action, facts as unknown as EventData<A>);
}
