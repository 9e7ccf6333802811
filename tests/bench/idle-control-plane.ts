import { openControlPlane } from '@palisade/server';

/** Opens a control plane, says so, and stays. */
await openControlPlane({ directory: process.argv[2] ?? '.', create: true });
process.stdout.write('open\n');
setInterval(() => {}, 60_000);
