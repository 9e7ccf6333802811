import * as z from 'zod';
import { AuditFacts, auditEventTypes } from './audit.ts';
import { operation } from './operation.ts';
import { page } from './page.ts';
import { Millis } from './schema.ts';

const actions = Object.keys(auditEventTypes) as [keyof typeof auditEventTypes];

/** One audit record (EX-214), with what records of its action say besides. */
export const AuditRecordView = AuditFacts.extend({
  /** From 0, without gaps. */
  seq: z.int().nonnegative(),
  at: Millis,
  action: z.enum(actions),
  /** Of a sign-in. */
  method: z.string().optional(),
  /** Of a command on the host: nobody authenticated. */
  initiator_kind: z.string().optional(),
  reason: z.string().optional(),
  /** Of a restoration. */
  snapshot_at: Millis.optional(),
});
export type AuditRecordView = z.infer<typeof AuditRecordView>;

export const listAudit = operation({
  id: 'audit.list',
  method: 'GET',
  path: '/v1/admin/audit',
  summary: 'Who did what to whom may use the installation, newest first; never what it was about',
  effect: 'read',
  access: 'system',
  input: z.strictObject(page),
  output: z.strictObject({
    data: z.array(AuditRecordView),
    has_more: z.boolean(),
    next_cursor: z.string().optional(),
  }),
  errors: [],
});
