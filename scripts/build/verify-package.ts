import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { thirdPartyNotices } from './third-party.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const EVIDENCE = join(ROOT, 'packages/evidence');
const LAUNCHER = join(EVIDENCE, 'bin/palisade-verify.mjs');
/** All that the verifier may use of Node: the command reads two files, the rest is arithmetic. */
const BUILT_IN: ReadonlySet<string> = new Set([
  'node:crypto',
  'node:fs/promises',
  'node:net',
  'node:path',
  'node:util',
]);

/**
 * Writes the publishable package of the stand-alone verifier to `target`, which is emptied first: the program
 * `palisade-verify` and the same as a library, with everything they need inside. Throws when it would reach
 * for anything else.
 */
export async function buildVerifyPackage(target: string): Promise<void> {
  const directory = resolve(target);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const bundle = await rolldown({
    cwd: ROOT,
    input: {
      index: join(EVIDENCE, 'src/verifier.ts'),
      'verify-command': join(EVIDENCE, 'src/verify-command.ts'),
    },
    platform: 'node',
    // The vocabulary of the whole product is one module graph; the verifier takes what it names.
    treeshake: { moduleSideEffects: false },
  });
  const { output } = await bundle.write({
    dir: directory,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: {
      groups: [{ debugName: 'verifier', name: (id) => (id.includes('/node_modules/') ? 'vendor' : null) }],
    },
  });
  const chunks = output.filter((part) => part.type === 'chunk');
  const files = new Set(chunks.map((chunk) => chunk.fileName));
  for (const chunk of chunks) {
    const outside = [...chunk.imports, ...chunk.dynamicImports].filter(
      (name) => !files.has(name) && !BUILT_IN.has(name),
    );
    if (outside.length > 0) throw new Error(`${chunk.fileName} needs ${outside.join(', ')}`);
  }
  const notices = thirdPartyNotices(chunks.flatMap((chunk) => chunk.moduleIds));
  writeFileSync(join(directory, 'THIRD-PARTY-NOTICES.txt'), notices);
  writeLauncher(join(directory, 'palisade-verify.mjs'));
  writeManifest(directory);
  copyFileSync(join(ROOT, 'LICENSE'), join(directory, 'LICENSE'));
  for (const name of ['README.md', 'index.d.ts'])
    copyFileSync(join(EVIDENCE, 'verifier', name), join(directory, name));
  for (const name of ['evidence-format.md', 'auditors-guide.md'])
    copyFileSync(join(ROOT, 'docs', name), join(directory, name));
}

function writeLauncher(path: string): void {
  const text = readFileSync(LAUNCHER, 'utf8');
  const from = "import('../src/verify-command.ts')";
  if (text.split(from).length !== 2) throw new Error(`the build expects ${from} once`);
  writeFileSync(path, text.replace(from, "import('./verify-command.js')"));
  chmodSync(path, 0o755);
}

function writeManifest(directory: string): void {
  const source = JSON.parse(readFileSync(join(EVIDENCE, 'package.json'), 'utf8')) as Record<string, unknown>;
  const manifest = {
    name: 'palisade-verify',
    version: source['version'],
    description: 'Verifies the evidence of Palisade runs from two files',
    license: source['license'],
    type: 'module',
    bin: { 'palisade-verify': 'palisade-verify.mjs' },
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    engines: { node: '>=22.18' },
  };
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
