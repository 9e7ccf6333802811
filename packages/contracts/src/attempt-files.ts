/**
 * Where things lie in the directory of one attempt, relative to it. The head of `attempt.ts` says
 * who writes what. The engine passes `sandboxState` to `SandboxProvider.reap` after a crash, and
 * finds the workspace handle to release in `workspaceHandle`.
 */
export const ATTEMPT_FILES = {
  spec: 'spec.json',
  claim: 'claim.json',
  log: 'output.log',
  products: 'products',
  result: 'result.json',
  workspace: 'workspace',
  workspaceState: 'state/workspace',
  workspaceHandle: 'state/workspace.json',
  sandboxState: 'state',
} as const;
