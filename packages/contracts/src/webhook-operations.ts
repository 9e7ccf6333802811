import * as z from 'zod';
import { NOTIFICATION_KINDS } from './notification.ts';
import { operation } from './operation.ts';
import { Cursor } from './page.ts';
import { Millis, Name, WRITE_ONLY } from './schema.ts';

/** A webhook endpoint's name. It names a stored secret too, whose references have no "@". */
export const WebhookName = Name.max(96).refine((name) => !name.includes('@'), 'must hold no "@"');

/** Why a message was not delivered (DI-083): a closed list, free of anything that a peer said. */
export const DeliveryReason = z.enum(['http-status', 'network', 'timeout', 'aborted', 'refused']);
export type DeliveryReason = z.infer<typeof DeliveryReason>;

export const DeliveryState = z.enum(['pending', 'delivered', 'undelivered']);
export type DeliveryState = z.infer<typeof DeliveryState>;

/** `whsec_` and the base64 of 24 to 64 bytes (Standard Webhooks). */
export const SIGNING_SECRET = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;

/** An endpoint as it is shown: without its keys, and of its address, which may hold a token, only the origin. */
export const WebhookView = z.strictObject({
  name: Name,
  origin: z.string(),
  allow_private: z.boolean(),
  bearer: z.boolean(),
  state: z.enum(['enabled', 'disabled']),
  /** Why it is disabled. */
  reason: z.string().optional(),
  key_version: z.int().positive(),
  /** Until when the former key signs too. */
  former_key_until: Millis.optional(),
  created_at: Millis,
  pending: z.int().nonnegative(),
  undelivered: z.int().nonnegative(),
});
export type WebhookView = z.infer<typeof WebhookView>;

export const DeliveryView = z.strictObject({
  /** The `webhook-id` of every attempt. */
  id: z.string(),
  endpoint: Name,
  kind: z.enum([...NOTIFICATION_KINDS, 'webhook.test']),
  run_id: z.string(),
  created_at: Millis,
  state: DeliveryState,
  attempts: z.int().nonnegative(),
  reason: DeliveryReason.optional(),
  /** HTTP status of the last answer, if there was one. */
  status: z.int().optional(),
  next_try_at: Millis.optional(),
  delivered_at: Millis.optional(),
});
export type DeliveryView = z.infer<typeof DeliveryView>;

const named = z.strictObject({ name: Name, dry_run: z.boolean().optional() });

export const setWebhook = operation({
  id: 'webhooks.set',
  method: 'PUT',
  path: '/v1/projects/{project}/webhooks/{name}',
  summary: 'Create a webhook endpoint, change it, replace its key, or enable it again',
  effect: 'privileged',
  access: 'provision',
  input: z.strictObject({
    name: WebhookName,
    /** Needed for a new endpoint. */
    url: z
      .url({ protocol: /^https?$/ })
      .max(2_048)
      .optional(),
    /** Signing key; write-only. Needed for a new endpoint; of another one it replaces the key. */
    secret: z
      .string()
      .regex(SIGNING_SECRET, 'must be whsec_ and the base64 of 24 to 64 bytes')
      .meta(WRITE_ONLY)
      .optional(),
    /** How long a replaced key signs beside the new one, ms. */
    overlap_ms: z
      .int()
      .min(0)
      .max(30 * 86_400_000)
      .optional(),
    /** Reference of a stored secret that is sent as a bearer token; null for none. */
    bearer: z.string().min(1).nullable().optional(),
    /** Lets the address lead to this machine or a private network. */
    allow_private: z.boolean().optional(),
    dry_run: z.boolean().optional(),
  }),
  output: z.strictObject({
    webhook: WebhookView,
    created: z.boolean(),
    /** What had been set for another origin and does not hold for the new one. */
    dropped: z.array(z.enum(['allow_private', 'bearer'])).optional(),
  }),
  errors: [
    'invalid_input',
    'stale_revision',
    'policy_denied',
    'secret_missing',
    'master_key_missing',
    'secret_undecryptable',
  ],
});

export const listWebhooks = operation({
  id: 'webhooks.list',
  method: 'GET',
  path: '/v1/projects/{project}/webhooks',
  summary: 'Webhook endpoints by name',
  effect: 'read',
  access: 'provision',
  input: z.strictObject({}),
  output: z.strictObject({ data: z.array(WebhookView) }),
  errors: [],
});

export const getWebhook = operation({
  id: 'webhooks.get',
  method: 'GET',
  path: '/v1/projects/{project}/webhooks/{name}',
  summary: 'One webhook endpoint and its last messages',
  effect: 'read',
  access: 'provision',
  input: z.strictObject({ name: Name }),
  output: z.strictObject({ webhook: WebhookView, deliveries: z.array(DeliveryView) }),
  errors: ['not_found'],
});

export const removeWebhook = operation({
  id: 'webhooks.remove',
  method: 'DELETE',
  path: '/v1/projects/{project}/webhooks/{name}',
  summary: 'Forget a webhook endpoint; what waits for it becomes undelivered',
  effect: 'privileged',
  access: 'provision',
  input: named,
  output: z.strictObject({ name: Name, removed: z.boolean() }),
  errors: ['not_found'],
});

export const testWebhook = operation({
  id: 'webhooks.test',
  method: 'POST',
  path: '/v1/projects/{project}/webhooks/{name}/test',
  summary: 'Send one signed message to a webhook endpoint now, and say how it was received',
  effect: 'mutation',
  access: 'provision',
  input: named,
  output: z.strictObject({
    name: Name,
    delivered: z.boolean(),
    reason: DeliveryReason.optional(),
    status: z.int().optional(),
  }),
  errors: ['not_found', 'secret_undecryptable'],
});

export const listDeliveries = operation({
  id: 'webhooks.deliveries',
  method: 'GET',
  path: '/v1/projects/{project}/webhook-deliveries',
  summary: 'Messages to webhook endpoints, newest first',
  effect: 'read',
  access: 'provision',
  input: z.strictObject({
    endpoint: Name.optional(),
    state: z.array(DeliveryState).optional(),
    limit: z.int().min(1).max(1_000).optional(),
    cursor: Cursor.optional(),
  }),
  output: z.strictObject({
    data: z.array(DeliveryView),
    has_more: z.boolean(),
    next_cursor: z.string().optional(),
  }),
  errors: [],
});

export const replayDeliveries = operation({
  id: 'webhooks.replay',
  method: 'POST',
  path: '/v1/projects/{project}/webhook-deliveries/replay',
  summary: 'Send messages again, under the ids they had',
  effect: 'mutation',
  access: 'provision',
  input: z.strictObject({
    /** Messages by id, whatever became of them. */
    ids: z.array(z.string().min(1).max(128)).max(1_000).optional(),
    /** Or the oldest undelivered ones of an endpoint, at most a thousand. */
    endpoint: Name.optional(),
    dry_run: z.boolean().optional(),
  }),
  output: z.strictObject({ ids: z.array(z.string()) }),
  errors: ['not_found', 'invalid_input'],
});
