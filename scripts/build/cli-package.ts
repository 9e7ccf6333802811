import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { LANGUAGES } from '../../packages/memory/src/structure/languages.ts';
import { replaced, writeBundle } from './bundle.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CLI = join(ROOT, 'packages/cli');
const ENTRIES = {
  main: join(CLI, 'src/main.ts'),
  'engine-process': join(ROOT, 'packages/server/src/engine-process.ts'),
  'worker-process': join(ROOT, 'packages/server/src/worker-process.ts'),
  'password-thread': join(ROOT, 'packages/identity/src/passwords/password-thread.ts'),
  'answering-thread': join(ROOT, 'packages/memory/src/served/answering-thread.ts'),
  'symbol-thread': join(ROOT, 'packages/memory/src/structure/symbol-thread.ts'),
  'verify-command': join(ROOT, 'packages/evidence/src/verify-command.ts'),
  'witness-command': join(ROOT, 'packages/evidence/src/witness/witness-command.ts'),
};

/**
 * Writes the publishable package of the command to `target`, which is emptied first: everything it needs is in
 * it, nothing but an optional Node to install beside it.
 */
export async function buildCliPackage(target: string): Promise<void> {
  const directory = await writePrograms(target);
  writeManifest(directory);
  copyFileSync(join(CLI, 'README.md'), join(directory, 'README.md'));
}

/**
 * Writes the programs of the package, ready to run, to `target`, which is emptied first; gives its absolute path. `more`
 * are further entries of the same bundle, sources by name.
 */
export async function writePrograms(
  target: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const directory = await writeBundle(target, { entries: { ...ENTRIES, ...more }, dependencies: [] });
  writeLaunchers(directory);
  writeGrammars(directory);
  return directory;
}

/** The grammars that memory reads sources with, and the program that runs them, with its licence. */
function writeGrammars(directory: string): void {
  const source = dirname(
    createRequire(join(ROOT, 'packages/memory/package.json')).resolve('@vscode/tree-sitter-wasm'),
  );
  const target = join(directory, 'grammars');
  mkdirSync(target);
  copyFileSync(join(source, 'tree-sitter.js'), join(target, 'tree-sitter.cjs'));
  for (const name of ['tree-sitter', ...LANGUAGES.map(({ grammar }) => grammar)])
    copyFileSync(join(source, `${name}.wasm`), join(target, `${name}.wasm`));
  copyFileSync(join(source, '../LICENSE'), join(target, 'LICENSE'));
}

/** The programs of the package: plain JavaScript that loads one entry of the bundle, with the Node of the package where it has to be. */
const LAUNCHERS = {
  'palisade.mjs': { source: join(CLI, 'bin/palisade.mjs'), entry: 'main' },
  'verify-program.mjs': {
    source: join(ROOT, 'packages/evidence/bin/palisade-verify.mjs'),
    entry: 'verify-command',
  },
  'witness-program.mjs': {
    source: join(ROOT, 'packages/evidence/bin/palisade-witness.mjs'),
    entry: 'witness/witness-command',
  },
} as const;

function writeLaunchers(directory: string): void {
  const write = (name: string, text: string): void => {
    writeFileSync(join(directory, name), text);
    chmodSync(join(directory, name), 0o755);
  };
  copyFileSync(join(CLI, 'bin/launch.mjs'), join(directory, 'launch.mjs'));
  for (const [name, { source, entry }] of Object.entries(LAUNCHERS)) {
    const text = readFileSync(source, 'utf8');
    write(name, replaced(text, `import('../src/${entry}.ts')`, `import('./${basename(entry)}.js')`));
  }
  for (const name of ['verify', 'witness'])
    write(
      `palisade-${name}.mjs`,
      `#!/usr/bin/env node
import { launch } from './launch.mjs';

await launch(import.meta.url, () => import('./${name}-program.mjs'));
`,
    );
}

function writeManifest(directory: string): void {
  const source = JSON.parse(readFileSync(join(CLI, 'package.json'), 'utf8')) as Record<string, unknown>;
  const { name, version, description, license, type, optionalDependencies } = source;
  const manifest = {
    name,
    version,
    description,
    license,
    type,
    bin: {
      palisade: 'palisade.mjs',
      pal: 'palisade.mjs',
      'palisade-verify': 'palisade-verify.mjs',
      'palisade-witness': 'palisade-witness.mjs',
    },
    // Of the launcher; it brings the Node that runs the product.
    engines: { node: '>=18' },
    optionalDependencies,
  };
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
