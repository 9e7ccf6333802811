import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const CONTRACTS = join(ROOT, 'packages/contracts');

/**
 * Writes the publishable package of the contracts to `directory`, which is emptied first: JavaScript and
 * declarations, for those who write a sandbox or a harness of their own. Types are not checked here: `npm run types` does.
 */
export function buildContractsPackage(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
  execFileSync(
    process.execPath,
    [
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      '-p',
      join(CONTRACTS, 'tsconfig.build.json'),
      '--outDir',
      directory,
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const source = JSON.parse(readFileSync(join(CONTRACTS, 'package.json'), 'utf8')) as Record<string, unknown>;
  const { name, version, description, license, type, dependencies } = source;
  const built = (path: string) => ({ types: `./${path}.d.ts`, default: `./${path}.js` });
  const manifest = {
    name,
    version,
    description,
    license,
    type,
    exports: { '.': built('index'), './testing': built('testing/index') },
    engines: { node: '>=22.18' },
    dependencies,
  };
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(ROOT, 'LICENSE'), join(directory, 'LICENSE'));
}
