import * as z from 'zod';
import { CredentialClass } from './credential.ts';
import { Millis } from './schema.ts';

/** The stream of what was done to the installation, and by whom. */
export const AUDIT_STREAM = 'audit:installation';

/**
 * An audit record (EX-214): who did what to what, and how that ended; never what it was about. `class` is that of the credential
 * presented (AC-056): null for whoever holds the control plane's own files.
 */
export const AuditFacts = z.strictObject({
  actor: z.string(),
  /** `prn_…`; null for whoever holds the control plane's own files. */
  principal: z.string().nullable(),
  credential: z.string().nullable(),
  class: z.union([CredentialClass, z.literal('browser')]).nullable(),
  /** Id of what it was done to; `new` when what it was to make was refused. */
  target: z.string(),
  /** `refused`: somebody known asked for what is not theirs to do; nothing was changed. */
  outcome: z.enum(['done', 'refused']),
  /** Why it was refused: a code of the error catalogue. */
  code: z.string().optional(),
  /** Id of the request, where the surface gave it one. */
  request: z.string().optional(),
  /** Id of what the target stands in for from here on. */
  replaces: z.string().optional(),
});
export type AuditFacts = z.infer<typeof AuditFacts>;

/** What can be done to who may use the installation. */
export const auditEventTypes = {
  'principal.created': AuditFacts,
  'principal.access_set': AuditFacts,
  'credential.issued': AuditFacts,
  'credential.rotated': AuditFacts,
  'credential.revoked': AuditFacts,
  'credential.hidden': AuditFacts,
  'operator.created': AuditFacts,
  'operator.access_set': AuditFacts,
  'operator.password_changed': AuditFacts,
  'operator.password_reset': AuditFacts,
  'operator.email_set': AuditFacts,
  'operator.email_verified': AuditFacts,
  /** By a command on the host (AC-049): nobody authenticated, and the target is whose password it is, not who did it. */
  'operator.password_recovered': AuditFacts.extend({
    initiator_kind: z.literal('host_operator'),
    reason: z.string().min(1).max(500),
  }),
  'browser.signed_in': AuditFacts.extend({ method: z.enum(['password', 'passkey']) }),
  'browser.signed_out': AuditFacts,
  'browser.session_revoked': AuditFacts,
  'harness_session.registered': AuditFacts,
  'harness_session.closed': AuditFacts,
  /** By housekeeping, after so many days without anything that was changed in it (AC-062). */
  'harness_session.idle_closed': AuditFacts.extend({
    last_activity_at: Millis,
    idle_days: z.int().positive(),
  }),
  'job.registered': AuditFacts,
  /** Its reporter told of another state; what else it reports is no record. */
  'job.state_changed': AuditFacts,
  'passkey.registered': AuditFacts,
  'passkey.deleted': AuditFacts,
  'clock.reconciled': AuditFacts,
  /** By a command on the host (AC-277): it goes on from a snapshot, which is the target. */
  'installation.restored': AuditFacts.extend({
    initiator_kind: z.literal('host_operator'),
    reason: z.string().min(1).max(500),
    /** When the snapshot was made, protected ms. */
    snapshot_at: Millis,
  }),
  'project.created': AuditFacts,
  'project.archived': AuditFacts,
  'project.restored': AuditFacts,
  'project.policy_set': AuditFacts.extend({ policy_revision: z.int().positive().optional() }),
} as const;

export type AuditAction = keyof typeof auditEventTypes;
