export { type ApplyPlan, planApply } from './apply-plan.ts';
export type { ProductPatch } from './product-patch.ts';
export {
  type CapturedOutput,
  type CapturedOutputs,
  captureOutputs,
  type OutputOptions,
} from './capture-outputs.ts';
export { type AppliedRecord, applyPlanned, recordOf, revertApplied } from './apply-planned.ts';
export { type CapturedPatch, type CaptureOptions, capturePatch } from './capture-patch.ts';
export { currentBranch } from './current-branch.ts';
export { type WorkspaceHandle } from './handle.ts';
export { Git, splitNul } from './git.ts';
export { assertBudget, type Budget, budgetOf } from './git-process.ts';
export { hideFromGit } from './hide-from-git.ts';
export { materialise, type MaterialiseInput } from './materialise.ts';
export { isNotPutBack, NotPutBack } from './not-put-back.ts';
export { type PatchFile } from './patch-file.ts';
export { summarisePatch } from './patch-summary.ts';
export { operatorValues } from './operator-config.ts';
export { pathBytes, pathText } from './path-text.ts';
export { recordBase, recordBaseline } from './record.ts';
export { release } from './release.ts';
export {
  branchOf,
  type OpenRepository,
  isPartialClone,
  openRepository,
  type ResolvedBase,
  resolveBase,
} from './resolve-base.ts';
export { makeScratch } from './scratch-folder.ts';
export { type TestSet } from './test-set.ts';
export { isTrackedByGit } from './tracked.ts';
