import { hostBackups } from '../src/backup/host-backups.ts';

/* `backup ROOT REPOSITORY`, or `restore ROOT SNAPSHOT DESTINATION`: prints the answer, or the code of what it failed with. */
const [what, directory = '', place = '', destination = ''] = process.argv.slice(2);
const backups = hostBackups({ directory });
const doing =
  what === 'backup'
    ? backups.backup({ repository: place })
    : backups.restore({ snapshot: place, destination, reason: 'rehearsal' });
try {
  console.log(JSON.stringify(await doing));
} catch (error) {
  console.log(JSON.stringify({ code: (error as { code?: unknown }).code }));
}
