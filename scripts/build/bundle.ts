import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { chunkOf } from './chunks.ts';
import { thirdPartyNotices } from './third-party.ts';
import { sourceCommit } from './source-commit.ts';
import { writeWorker } from './worker-bundle.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const LAUNCH = join(ROOT, 'packages/worker/src/harness/launch');
const SHOWN_TO_SANDBOXES = ['agent-launcher.mjs', 'acp-client.mjs'];

export interface Bundle {
  /** Files that something starts from: their names in the package, and their sources. */
  readonly entries: Readonly<Record<string, string>>;
  /** Packages that are installed beside it instead of being inside. */
  readonly dependencies: readonly string[];
}

/**
 * Writes a bundle to `target`, which is emptied first: plain JavaScript in one folder with all of ours and of others
 * that it needs, and their licences. Throws when it would still reach outside of itself for anything else.
 */
export async function writeBundle(target: string, bundled: Bundle): Promise<string> {
  const { dependencies } = bundled;
  const { 'worker-process': worker, ...entries } = bundled.entries;
  const directory = resolve(target);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const bundle = await rolldown({
    cwd: ROOT,
    input: entries,
    platform: 'node',
    // An optional native part of pg that is never used.
    external: ['pg-native', ...dependencies],
    plugins: [lateKysely, knownSource, grammarsBeside],
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
        { debugName: 'rooms', name: (id) => (Object.values(entries).includes(id) ? null : chunkOf(id)) },
      ],
    },
  });
  const ofWorker = worker === undefined ? [] : await writeWorker(directory, worker, dependencies);
  const kysely = await rolldown({
    cwd: join(ROOT, 'packages/kernel'),
    input: { kysely: 'kysely' },
    platform: 'node',
  });
  const late = await kysely.write({ dir: directory, format: 'cjs', entryFileNames: '[name].cjs' });
  const chunks = [...output, ...ofWorker, ...late.output].filter((part) => part.type === 'chunk');
  assertSelfContained(directory, chunks, dependencies);
  writeFileSync(
    join(directory, 'THIRD-PARTY-NOTICES.txt'),
    thirdPartyNotices(chunks.flatMap((chunk) => chunk.moduleIds)),
  );
  // A sandbox is shown these files alone, so they stay files of their own.
  for (const file of SHOWN_TO_SANDBOXES) copyFileSync(join(LAUNCH, file), join(directory, file));
  copyFileSync(join(ROOT, 'LICENSE'), join(directory, 'LICENSE'));
  return directory;
}

/** The query builder stays a file of its own that is read at its first use, as it is in a checkout. */
const lateKysely: Plugin = {
  name: 'late-kysely',
  transform: {
    filter: { id: /kysely-session\.ts$/ },
    handler: (code) => replaced(code, "require('kysely')", "require('./kysely.cjs')"),
  },
};

/** The program says which commit it is of. */
const knownSource: Plugin = {
  name: 'known-source',
  transform: {
    filter: { id: /contracts\/src\/version\.ts$/ },
    handler: (code) => replaced(code, 'null as string | null', JSON.stringify(sourceCommit(ROOT))),
  },
};

/** `text` with `to` in place of `from`, which must stand in it once. */
export function replaced(text: string, from: string, to: string): string {
  if (text.split(from).length !== 2) throw new Error(`the build expects ${from} once`);
  return text.replace(from, to);
}

/** Grammars are files that a program reads; whoever has memory in a bundle puts them beside it. */
const grammarsBeside: Plugin = {
  name: 'grammars-beside',
  transform: {
    filter: { id: /grammar-files\.ts$/ },
    handler: (code) =>
      replaced(
        code,
        "require.resolve('@vscode/tree-sitter-wasm')",
        "require.resolve('./grammars/tree-sitter.cjs')",
      ),
  },
};

function assertSelfContained(
  directory: string,
  chunks: readonly OutputChunk[],
  dependencies: readonly string[],
): void {
  const files = new Set(chunks.map((chunk) => chunk.fileName));
  for (const chunk of chunks) {
    const outside = [...chunk.imports, ...chunk.dynamicImports].filter(
      (name) =>
        !files.has(name) &&
        !name.startsWith('node:') &&
        !builtinModules.includes(name) &&
        !dependencies.includes(name),
    );
    if (outside.length > 0) throw new Error(`${chunk.fileName} needs ${outside.join(', ')}`);
  }
  const late: unknown = createRequire(join(directory, 'main.js'))('./kysely.cjs');
  if (typeof Reflect.get(late as object, 'Kysely') !== 'function')
    throw new Error('kysely.cjs is not Kysely');
}
