/*
 * Writes the packages as they are published to dist/, ready for `npm pack dist/cli`:
 *
 *     npm run build
 */
import { join, resolve } from 'node:path';
import { buildCliPackage } from './build/cli-package.ts';
import { buildContractsPackage } from './build/contracts-package.ts';
import { buildDispatchPackage } from './build/dispatch-package.ts';
import { buildVerifyPackage } from './build/verify-package.ts';

const dist = resolve(import.meta.dirname, '../dist');
await buildCliPackage(join(dist, 'cli'));
buildContractsPackage(join(dist, 'contracts'));
await buildDispatchPackage(join(dist, 'dispatch'));
await buildVerifyPackage(join(dist, 'verify'));
console.log(`cli, contracts, dispatch and verify are in ${dist}`);
