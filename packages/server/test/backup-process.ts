import { hostBackups } from '../src/backup/host-backups.ts';

/* `backup ROOT REPOSITORY`, or `restore ROOT SNAPSHOT DESTINATION`: prints the answer, or the code of what it failed with. SIGTERM gives up. */
const [what, directory = '', place = '', destination = ''] = process.argv.slice(2);
const giveUp = new AbortController();
process.once('SIGTERM', () => giveUp.abort(Object.assign(new Error('given up'), { code: 'given_up' })));
const { signal } = giveUp;
const backups = hostBackups({ directory });
const doing =
  what === 'backup'
    ? backups.backup({ repository: place, signal })
    : backups.restore({ snapshot: place, destination, reason: 'rehearsal', signal });
try {
  console.log(JSON.stringify(await doing));
} catch (error) {
  console.log(JSON.stringify({ code: (error as { code?: unknown }).code }));
}
