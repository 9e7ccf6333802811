import { acquireClaims, openConsole, sessionNamed } from '../src/index.ts';

/*
 * A process of its own that claims: `node claim-once.ts SESSION MOMENT TARGET...` claims each target at MOMENT, Unix ms,
 * or at once, and prints a line for each when it is done.
 */
const [, , name = '', moment = '0', ...targets] = process.argv;
using database = openConsole({ env: process.env, create: true });
const now = Date.now();
const console = { database, machine: 'here', now, signal: new AbortController().signal };
const session = sessionNamed(console, name, () => [], true);
while (Date.now() < Number(moment));
for (const target of targets) {
  const { status } = await acquireClaims(console, {
    idempotencyKey: `${name} ${target}`,
    isRehearsal: false,
    request: [],
    session,
    repository: '/srv/shop/.git',
    targets: [{ target, target_type: 'file' }],
    ttlMs: 600_000,
    intent: undefined,
  });
  process.stdout.write(`${status} ${target}\n`);
}
