import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildContractsPackage } from '../../scripts/build/contracts-package.ts';
import { buildDispatchPackage } from '../../scripts/build/dispatch-package.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * Builds the library and what it depends on, packs them, and installs the packages in `place/app`, which is empty, without a
 * network. Nothing there leads back to the checkout but the types of Node. Gives that directory.
 */
export async function installLibrary(place: string): Promise<string> {
  buildContractsPackage(join(place, 'built/contracts'));
  await buildDispatchPackage(join(place, 'built/dispatch'));
  const app = join(place, 'app');
  mkdirSync(app, { recursive: true });
  writeFileSync(join(app, 'package.json'), '{"private":true,"type":"module"}');
  const npm = (...args: string[]): string =>
    execFileSync('npm', args, { cwd: app, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const packages = [
    join(place, 'built/contracts'),
    join(place, 'built/dispatch'),
    join(ROOT, 'node_modules/zod'),
  ];
  const packed = JSON.parse(npm('pack', '--json', ...packages)) as { filename: string }[];
  npm('install', '--offline', '--no-audit', '--no-fund', ...packed.map(({ filename }) => `./${filename}`));
  for (const name of ['@types', 'undici-types'])
    symlinkSync(join(ROOT, 'node_modules', name), join(app, 'node_modules', name));
  return app;
}
