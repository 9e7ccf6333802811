export { type Cgroup, createCgroup, findCgroup } from './cgroup.ts';
export { ExecQueue } from './exec-queue.ts';
export { canceledEarly, describeErrno, notStarted, specFault, toResult } from './exec-result.ts';
export { errnoOfMessage, signalOfStatus } from './exit-status.ts';
export { OutputCapture } from './output-capture.ts';
export { processSandboxes } from './process-provider.ts';
export {
  listProcesses,
  type ProcessEntry,
  readProcess,
  signalProcess,
  startTimeNow,
} from './process-table.ts';
export { ProcessTree } from './process-tree.ts';
export { hasPrlimit, type LimitPlan, enforcedLimits, nameLimit, planLimits } from './resource-limits.ts';
export { StandardStreams } from './standard-streams.ts';
export { type Ended, type Launch, type Reach, supervise } from './supervise.ts';
