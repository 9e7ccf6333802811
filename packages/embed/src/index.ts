export {
  type AgentInput,
  type AuthorizationRequest,
  type Authorizer,
  type AuthorizerAnswer,
  type BlobStore,
  type ErrorCode,
  type EventView,
  type EvidenceBundle,
  type Executor,
  type ExecutorFactory,
  isPalisadeError,
  type ItemState,
  type ItemView,
  type MessageView,
  type OutputLine,
  PalisadeError,
  type Plan,
  type PlanItem,
  type ProductFacts,
  type RunState,
  type RunView,
  type SandboxProvider,
  type SentMessage,
  type Shape,
  type Signer,
  type TrustRoot,
  type Usage,
} from '@palisade/contracts';
export { type ClaudeAuth, claudeAuthSecrets } from './claude-auth.ts';
export type { Dispatch, DispatchOptions, Plans, Runs } from './dispatch.ts';
export type { Failure, ItemResult } from './item-result.ts';
export { open } from './open.ts';
export type { OpenOptions } from './open-options.ts';
export type { Palisade } from './palisade.ts';
export type {
  Agents,
  Capabilities,
  CapabilityFiles,
  Environments,
  Pipelines,
  Registered,
  Secrets,
} from './registries.ts';
export { printResults, type ResultSink } from './result-sink.ts';
export type { Run, RunResult, WaitOptions } from './run.ts';
export type { RunDescription } from './run-description.ts';
export type { Work, WorkBase, WorkSecrets } from './work.ts';
