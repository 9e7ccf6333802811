import { registerCapability } from '@palisade/contracts';
import { openControlPlane } from '../src/open-control-plane.ts';

/* Registers one capability after another until it is ended; prints the number of each that is committed. */
const [directory = '', name = ''] = process.argv.slice(2);
const plane = await openControlPlane({ directory });
for (let n = 0; ; n++) {
  const text = Buffer.from(`${name} ${n}\n`.repeat(200));
  await plane.call(registerCapability, {
    name: `${name}-${n}`,
    files: [{ path: 'a.txt', base64: text.toString('base64') }],
  });
  console.log(n);
}
