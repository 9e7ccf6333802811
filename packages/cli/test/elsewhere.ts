import { commands } from '../src/tree/tree.ts';

/** Proved where they do something: the demo with the published package, the others with a server or a database. */
export const elsewhere: ReadonlySet<string> = new Set([
  'demo',
  'serve',
  'login',
  'init-admin',
  'recover-operator-password',
  // tests/e2e/backup.test.ts.
  'backup',
  'backup-verify',
  'restore',
  'invalidate-restored',
  'mcp stdio',
  'mcp memory',
  // Of a repository with a history: repo.test.ts.
  ...commands.map(({ path }) => path).filter((path) => path.startsWith('repo ')),
  // Of a user with transcripts: transcript.test.ts.
  ...commands.map(({ path }) => path).filter((path) => path.startsWith('transcript ')),
  // Of sessions on one machine: console.test.ts.
  ...commands.map(({ path }) => path).filter((path) => path.startsWith('console ')),
  'retry',
  'session start',
  // With a server and its guardian: tests/e2e/job-run.test.ts.
  'job run',
  'job reconnect',
  'job guard',
  'session adopt',
  'session migrate',
]);
