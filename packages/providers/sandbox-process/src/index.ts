export { createCgroup } from './cgroup.ts';
export { ExecQueue } from './exec-queue.ts';
export { canceledEarly, describeErrno, notStarted, specFault, toResult } from './exec-result.ts';
export { errnoOfMessage, signalOfStatus } from './exit-status.ts';
export { processSandboxes } from './process-provider.ts';
export { enforcedLimits, nameLimit, planLimits } from './resource-limits.ts';
export { StandardStreams } from './standard-streams.ts';
export { type Ended, supervise } from './supervise.ts';
export { reapProcesses, SupervisedSandbox, type Supervision } from './supervised-sandbox.ts';
