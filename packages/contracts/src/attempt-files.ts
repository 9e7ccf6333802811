/**
 * Where things lie in the directory of one attempt, relative to it. The head of `attempt.ts` says
 * who writes what. Sandbox and workspace keep their own, differently named things in one state
 * directory: the engine passes it to `SandboxProvider.reap` after a crash and to the release of the
 * workspace.
 */
export const ATTEMPT_FILES = {
  spec: 'spec.json',
  claim: 'claim.json',
  stop: 'stop',
  messages: 'messages',
  delivered: 'delivered',
  log: 'output.log',
  products: 'products',
  result: 'result.json',
  model: 'model',
  workspace: 'workspace',
  workspaceState: 'state',
  sandboxState: 'state',
} as const;

/** The name of a message's file below `messages`. */
export function messageFile(seq: number): string {
  return `${seq}.json`;
}
