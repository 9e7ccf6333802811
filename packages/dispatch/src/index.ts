export type { Authority } from './authority/authorize-items.ts';
export { parsePolicy } from './authority/policy.ts';
export { type PolicyInForce, rulesAuthorizer } from './authority/rules-authorizer.ts';
export { deployOperations } from './deployments/deploy-operations.ts';
export { type AttemptMaterial, prepareAttempt } from './engine/attempt-prepare.ts';
export { Engine, type EngineOptions } from './engine/engine.ts';
export { type HeldWork, holdEverything } from './flow/hold-everything.ts';
export { putLimits } from './flow/queue-limits.ts';
export { growthMaterial } from './growth/growth-material.ts';
export { type Housekeeping, housekeeping, type HousekeepingDeps } from './housekeeping/housekeeping.ts';
export { housekeepingMigrations } from './housekeeping/housekeeping-schema.ts';
export { countEvents } from './metrics/count-events.ts';
export { metricOperations } from './metrics/metric-operations.ts';
export { metricMigrations } from './metrics/metric-schema.ts';
export type { ChosenSandbox, NotificationPort, PlanDeps } from './plans/plan-deps.ts';
export { type ValidatedPlan, validatePlanShape } from './plans/plan-validate.ts';
export { planOperations } from './plans/plan-operations.ts';
export { planMigrations } from './plans/plan-schema.ts';
export { queueOperations } from './queues/queue-operations.ts';
export type { ResolvedAgent } from './registry/agents/agent-operations.ts';
export type { ResolvedCapability } from './registry/capabilities/capability-operations.ts';
export {
  assertNoCredentials,
  type CredentialFinding,
  findCredential,
} from './registry/credential-scan.ts';
export type { ResolvedEnvironment } from './registry/environments/environment-operations.ts';
export { type MergedEnvironment, mergeEnvironments } from './registry/environments/environment.ts';
export { type ValidatedPipeline, validatePipeline } from './registry/pipelines/pipeline.ts';
export { openDefaultQueue } from './queues/default-queue.ts';
export { holdSchedules } from './schedules/schedule-store.ts';
export type { RegistryRooms } from './registry/project-rooms.ts';
export { type ProjectRegistry, type Registry, registry } from './registry/registry.ts';
export { hasWork } from './requests/has-work.ts';
export { heldToResult } from './shapes/held-to-result.ts';
export { OWN_SHAPES, ShapeCatalogue } from './shapes/shape-catalogue.ts';
export { scheduleMigrations } from './schedules/schedule-schema.ts';
export { scheduleOperations } from './schedules/schedule-operations.ts';
export { Scheduler, type SchedulerOptions } from './schedules/scheduler.ts';
