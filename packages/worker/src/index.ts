export { type AttemptOptions, HARNESSES, runAttempt } from './attempt/attempt.ts';
export { commandHarness } from './harness/command.ts';
export { scriptedHarness } from './harness/scripted.ts';
export { readSecretsFromFd } from './secrets-fd.ts';
export { SECRETS_FD, workerMain } from './worker-main.ts';
