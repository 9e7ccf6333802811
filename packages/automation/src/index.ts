export { Deliverer, type DelivererOptions } from './webhooks/deliverer.ts';
export { endpointNames } from './webhooks/endpoint-store.ts';
export { notifyOutside, subscribe } from './webhooks/outbox.ts';
export { type WebhookDeps, webhookOperations } from './webhooks/webhook-operations.ts';
export { webhookMigrations } from './webhooks/webhook-schema.ts';
