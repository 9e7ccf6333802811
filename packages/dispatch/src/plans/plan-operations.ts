import {
  type BoundOperation,
  bindOperation,
  cancelRun,
  extendRun,
  getArtifact,
  getRun,
  listEvents,
  listProducts,
  listRuns,
  readLog,
  rerun,
  submitPlan,
  subscribeEvents,
  validatePlan,
} from '@palisade/contracts';
import { channelOperations } from '../channels/channel-operations.ts';
import { requestOperations } from '../requests/request-operations.ts';
import { runPauseOperations } from '../flow/pause.ts';
import { budgetOperations } from '../flow/set-budget.ts';
import { usageOperations } from '../flow/usage.ts';
import { extend } from './extend-run.ts';
import type { PlanDeps } from './plan-deps.ts';
import { validatePlanShape } from './plan-validate.ts';
import { rerunPlan } from './rerun-plan.ts';
import { cancel } from './run-control.ts';
import { logs } from './run-logs.ts';
import { artifact, events, get, list, products } from './run-queries.ts';
import { submit } from './submit-plan.ts';
import { subscribe } from './subscribe-events.ts';

/** The operations on plans and their runs. */
export function planOperations(deps: PlanDeps): BoundOperation[] {
  return [
    bindOperation(submitPlan, (input, context) => submit(deps, input, context)),
    bindOperation(extendRun, (input, context) => extend(deps, input, context)),
    bindOperation(validatePlan, async ({ plan }) => {
      const result = validatePlanShape(plan, deps.shapes);
      const warnings = result.ok ? [...result.warnings] : [];
      return {
        ok: result.ok,
        items: result.ok ? result.plan.items.length : 0,
        issues: [...result.issues],
        ...(warnings.length === 0 ? {} : { warnings }),
      };
    }),
    bindOperation(listRuns, (input, context) => list(deps, input, context)),
    bindOperation(getRun, (input, context) => get(deps, input, context)),
    bindOperation(listEvents, (input, context) => events(deps, input, context)),
    bindOperation(subscribeEvents, (input, context) => subscribe(deps, input, context)),
    bindOperation(readLog, (input, context) => logs(deps, input, context)),
    bindOperation(cancelRun, (input, context) => cancel(deps, input, context)),
    ...runPauseOperations(deps),
    ...budgetOperations(deps),
    ...usageOperations(deps.database),
    bindOperation(rerun, (input, context) => rerunPlan(deps, input, context)),
    bindOperation(listProducts, (input, context) => products(deps, input, context)),
    bindOperation(getArtifact, (input, context) => artifact(deps, input, context)),
    ...requestOperations(deps),
    ...channelOperations(deps),
  ];
}
