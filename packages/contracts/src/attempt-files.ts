/**
 * Where things lie in the directory of one attempt, relative to it. The head of `attempt.ts` says
 * who writes what. `state` is the state directory of both the sandbox and the workspace: the engine
 * passes it to `SandboxProvider.reap` after a crash and to the release of the workspace.
 */
export const ATTEMPT_FILES = {
  spec: 'spec.json',
  claim: 'claim.json',
  log: 'output.log',
  products: 'products',
  result: 'result.json',
  workspace: 'workspace',
  state: 'state',
} as const;
