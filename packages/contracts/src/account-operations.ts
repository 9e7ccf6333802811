import * as z from 'zod';
import { BrowserSessionId, HumanRole, PrincipalId } from './credential.ts';
import { AccountView, EmailAddress } from './email-operations.ts';
import { PrincipalView } from './identity-operations.ts';
import { operation } from './operation.ts';
import { page } from './page.ts';
import { Millis, Name, WRITE_ONLY } from './schema.ts';

/** A password to set: 12 to 1024 bytes of UTF-8 (AC-035). */
export const NewPassword = z
  .string()
  .refine((text) => text.isWellFormed(), 'must be Unicode text')
  .refine((text) => {
    const bytes = new TextEncoder().encode(text).byteLength;
    return bytes >= 12 && bytes <= 1_024;
  }, 'must be 12 to 1024 bytes long')
  .meta(WRITE_ONLY);

/** A password to be compared. */
export const GivenPassword = z.string().min(1).max(1_024).meta(WRITE_ONLY);

const dryRun = { dry_run: z.boolean().optional() };

export const createOperator = operation({
  id: 'operators.create',
  method: 'POST',
  path: '/v1/admin/operators',
  summary: 'Create the account of a person',
  effect: 'privileged',
  access: 'system',
  input: z.strictObject({
    name: Name,
    role: HumanRole,
    /** Write-only. A repeated call must bring the same one (AC-041). */
    password: NewPassword,
    /** Unverified: a link is sent to it. */
    email: EmailAddress.optional(),
    ...dryRun,
  }),
  output: AccountView,
  errors: ['already_exists', 'operation_not_permitted', 'idempotency_secret_mismatch', 'rate_limited'],
});

export const listOperators = operation({
  id: 'operators.list',
  method: 'GET',
  path: '/v1/admin/operators',
  summary: 'Accounts of people, in the order they were created',
  effect: 'read',
  access: 'system',
  input: z.strictObject(page),
  output: z.strictObject({
    data: z.array(PrincipalView),
    has_more: z.boolean(),
    next_cursor: z.string().optional(),
  }),
  errors: [],
});

export const getOperator = operation({
  id: 'operators.get',
  method: 'GET',
  path: '/v1/admin/operators/{operator}',
  summary: 'The account of one person',
  effect: 'read',
  access: 'system',
  input: z.strictObject({ operator: PrincipalId }),
  output: AccountView,
  errors: ['not_found'],
});

export const setOperatorAccess = operation({
  id: 'operators.access',
  method: 'POST',
  path: '/v1/admin/operators/{operator}/access',
  summary: 'Set role and access of a person, and end their browser sessions',
  effect: 'privileged',
  access: 'system',
  input: z.strictObject({
    operator: PrincipalId,
    expected_revision: z.int().positive(),
    role: HumanRole,
    enabled: z.boolean(),
    ...dryRun,
  }),
  output: PrincipalView,
  errors: ['not_found', 'stale_revision', 'last_active_admin', 'operation_not_permitted'],
});

export const getAccount = operation({
  id: 'account.get',
  method: 'GET',
  path: '/v1/auth/account',
  summary: 'Who you are here',
  effect: 'read',
  access: 'read',
  input: z.strictObject({}),
  output: AccountView,
  errors: ['not_found'],
});

export const changePassword = operation({
  id: 'account.password',
  method: 'POST',
  path: '/v1/auth/password',
  summary: 'Change your own password, and end all your browser sessions',
  effect: 'mutation',
  access: 'write',
  input: z.strictObject({
    current_password: GivenPassword,
    new_password: NewPassword,
    expected_revision: z.int().positive(),
  }),
  output: z.strictObject({
    revision: z.int().positive(),
    /** The session of this call is ended as well: sign in with the new password. */
    signed_out: z.literal(true),
  }),
  errors: ['operation_not_permitted', 'stale_revision', 'rate_limited'],
});

/** One sign-in of a person in a browser, without what it authenticates with (AC-048). */
export const BrowserSessionView = z.strictObject({
  id: BrowserSessionId,
  principal: PrincipalId,
  created_at: Millis,
  expires_at: Millis,
  revoked_at: Millis.optional(),
  /** It is the one of this call. */
  current: z.boolean(),
});
export type BrowserSessionView = z.infer<typeof BrowserSessionView>;

export const listBrowserSessions = operation({
  id: 'browser_sessions.list',
  method: 'GET',
  path: '/v1/browser-sessions',
  summary: 'Your browser sessions of late; an administrator may ask for those of others',
  effect: 'read',
  access: 'read',
  input: z.strictObject({ principal: PrincipalId.optional(), ...page }),
  output: z.strictObject({
    data: z.array(BrowserSessionView),
    has_more: z.boolean(),
    next_cursor: z.string().optional(),
  }),
  errors: ['operation_not_permitted'],
});

export const revokeBrowserSession = operation({
  id: 'browser_sessions.revoke',
  method: 'POST',
  path: '/v1/browser-sessions/{session}/revoke',
  summary: 'End one of your browser sessions; an administrator may end those of others',
  effect: 'mutation',
  access: 'write',
  input: z.strictObject({ session: BrowserSessionId, ...dryRun }),
  output: BrowserSessionView,
  errors: ['not_found'],
});
