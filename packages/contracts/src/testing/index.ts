export {
  type AskedFor,
  type AuthorizerConformanceOptions,
  authorizerConformance,
} from './authorizer-conformance.ts';
export { type BlobConformanceOptions, blobStoreConformance } from './blob-conformance.ts';
export { type ExecutorConformanceOptions, executorConformance } from './executor-conformance.ts';
export { type Equipment, type HarnessBehaviours, harnessConformance } from './harness-conformance.ts';
export { livingWith } from './living-processes.ts';
export { type Bench, type BenchOptions, withSandbox } from './sandbox-bench.ts';
export { type SandboxConformanceOptions, sandboxConformance } from './sandbox-conformance.ts';
export type { Matchers, TestTools } from './test-tools.ts';
