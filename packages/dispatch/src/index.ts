export { type AttemptMaterial, prepareAttempt } from './engine/attempt-prepare.ts';
export { Engine, type EngineOptions } from './engine/engine.ts';
export { putQueue } from './engine/queue-store.ts';
export type { PlanDeps } from './plans/plan-deps.ts';
export { planOperations } from './plans/plan-operations.ts';
export { planMigrations } from './plans/plan-schema.ts';
