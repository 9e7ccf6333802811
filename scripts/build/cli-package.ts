import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { chunkOf } from './chunks.ts';
import { thirdPartyNotices } from './third-party.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CLI = join(ROOT, 'packages/cli');
const LAUNCH = join(ROOT, 'packages/worker/src/harness/launch');
const SHOWN_TO_SANDBOXES = ['agent-launcher.mjs', 'acp-client.mjs'];
const ENTRIES = {
  main: join(CLI, 'src/main.ts'),
  'engine-process': join(ROOT, 'packages/server/src/engine-process.ts'),
  'worker-process': join(ROOT, 'packages/server/src/worker-process.ts'),
  'verify-command': join(ROOT, 'packages/evidence/src/verify-command.ts'),
};

/**
 * Writes the publishable package of the command to `target`, which is emptied first: plain
 * JavaScript in one folder, everything it needs bundled, nothing but an optional Node to install beside
 * it. Throws when the bundle would still reach outside of itself.
 */
export async function buildCliPackage(target: string): Promise<void> {
  const directory = resolve(target);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const bundle = await rolldown({
    cwd: ROOT,
    input: ENTRIES,
    platform: 'node',
    // An optional native part of pg that is never used.
    external: ['pg-native'],
    plugins: [lateKysely],
    preserveEntrySignatures: 'allow-extension',
    // Commands are loaded late whoever else imports them: only a checkout gains by it.
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await bundle.write({
    dir: directory,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        { debugName: 'rooms', name: (id) => (Object.values(ENTRIES).includes(id) ? null : chunkOf(id)) },
      ],
    },
  });
  const kysely = await rolldown({
    cwd: join(ROOT, 'packages/kernel'),
    input: { kysely: 'kysely' },
    platform: 'node',
  });
  const late = await kysely.write({ dir: directory, format: 'cjs', entryFileNames: '[name].cjs' });
  const chunks = [...output, ...late.output].filter((part) => part.type === 'chunk');
  assertSelfContained(directory, chunks);
  writeFileSync(
    join(directory, 'THIRD-PARTY-NOTICES.txt'),
    thirdPartyNotices(chunks.flatMap((chunk) => chunk.moduleIds)),
  );
  writeLaunchers(directory);
  // A sandbox is shown these files alone, so they stay files of their own.
  for (const file of SHOWN_TO_SANDBOXES) copyFileSync(join(LAUNCH, file), join(directory, file));
  writeManifest(directory);
  copyFileSync(join(ROOT, 'LICENSE'), join(directory, 'LICENSE'));
  copyFileSync(join(CLI, 'README.md'), join(directory, 'README.md'));
}

/** The query builder stays a file of its own that is read at its first use, as it is in a checkout. */
const lateKysely: Plugin = {
  name: 'late-kysely',
  transform: {
    filter: { id: /kysely-session\.ts$/ },
    handler: (code) => replaced(code, "require('kysely')", "require('./kysely.cjs')"),
  },
};

/** The programs of the package: plain JavaScript that loads one entry of the bundle. */
const LAUNCHERS = {
  'palisade.mjs': { source: join(CLI, 'bin/palisade.mjs'), entry: 'main' },
  'palisade-verify.mjs': {
    source: join(ROOT, 'packages/evidence/bin/palisade-verify.mjs'),
    entry: 'verify-command',
  },
} as const;

function writeLaunchers(directory: string): void {
  for (const [name, { source, entry }] of Object.entries(LAUNCHERS)) {
    const launcher = join(directory, name);
    const text = readFileSync(source, 'utf8');
    writeFileSync(launcher, replaced(text, `import('../src/${entry}.ts')`, `import('./${entry}.js')`));
    chmodSync(launcher, 0o755);
  }
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
    bin: { palisade: 'palisade.mjs', pal: 'palisade.mjs', 'palisade-verify': 'palisade-verify.mjs' },
    // Of the launcher; it brings the Node that runs the product.
    engines: { node: '>=18' },
    optionalDependencies,
  };
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function replaced(text: string, from: string, to: string): string {
  if (text.split(from).length !== 2) throw new Error(`the build expects ${from} once`);
  return text.replace(from, to);
}

function assertSelfContained(directory: string, chunks: readonly OutputChunk[]): void {
  const files = new Set(chunks.map((chunk) => chunk.fileName));
  for (const chunk of chunks) {
    const outside = [...chunk.imports, ...chunk.dynamicImports].filter(
      (name) => !files.has(name) && !name.startsWith('node:') && !builtinModules.includes(name),
    );
    if (outside.length > 0) throw new Error(`${chunk.fileName} needs ${outside.join(', ')}`);
  }
  const late: unknown = createRequire(join(directory, 'main.js'))('./kysely.cjs');
  if (typeof Reflect.get(late as object, 'Kysely') !== 'function')
    throw new Error('kysely.cjs is not Kysely');
}
