export { type SandboxConformanceOptions, sandboxConformance } from './sandbox-conformance.ts';
export { livingWith } from './living-processes.ts';
export type { Matchers, TestTools } from './test-tools.ts';
