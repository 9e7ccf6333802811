export { ResultSinks, type SinkPort } from './sinks/result-sinks.ts';
export { sinkOperations } from './sinks/sink-operations.ts';
export { sinkMigrations } from './sinks/sink-schema.ts';
export { offerResults } from './sinks/sink-store.ts';
export { Deliverer, type DelivererOptions } from './webhooks/deliverer.ts';
export { endpointNames } from './webhooks/endpoint-store.ts';
export { notifyOutside, subscribe } from './webhooks/outbox.ts';
export { type WebhookDeps, webhookOperations } from './webhooks/webhook-operations.ts';
export { webhookMigrations } from './webhooks/webhook-schema.ts';
