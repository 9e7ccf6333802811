import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { writeBundle } from './bundle.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const EMBED = join(ROOT, 'packages/embed');
const SOURCES = join(EMBED, 'src');
/** The name users know; in the workspace another room has it (docs/decisions/0036-published-as-dispatch.md). */
const PUBLISHED_NAME = '@palisade/dispatch';

/**
 * Writes the publishable library to `target`, which is emptied first: the bundle, its declarations, and beside
 * it the contracts, whose types and errors a user shares with us.
 */
export async function buildDispatchPackage(target: string): Promise<void> {
  const contracts = manifestOf('contracts');
  const dependencies = {
    '@palisade/contracts': contracts['version'],
    ...(contracts['dependencies'] as object),
  };
  const directory = await writeBundle(target, {
    entries: {
      index: join(SOURCES, 'index.ts'),
      'engine-process': join(ROOT, 'packages/server/src/engine-process.ts'),
      'worker-process': join(ROOT, 'packages/server/src/worker-process.ts'),
      'password-thread': join(ROOT, 'packages/identity/src/passwords/password-thread.ts'),
    },
    dependencies: Object.keys(dependencies),
  });
  writeDeclarations(directory);
  const { version, description, license, type } = manifestOf('embed');
  const manifest = {
    name: PUBLISHED_NAME,
    version,
    description,
    license,
    type,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    engines: { node: '>=22.18' },
    dependencies,
  };
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(EMBED, 'README.md'), join(directory, 'README.md'));
}

function manifestOf(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
}

/**
 * One declaration file for each source that the door leads to. They are made file by file, from what is written
 * there: nothing of the rooms behind the library can get into them.
 */
function writeDeclarations(directory: string): void {
  const declared = new Map<string, string>();
  const declare = (file: string): void => {
    if (declared.has(file)) return;
    const { outputText, diagnostics = [] } = ts.transpileDeclaration(
      readFileSync(join(SOURCES, file), 'utf8'),
      {
        fileName: file,
        compilerOptions: { target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.NodeNext },
        reportDiagnostics: true,
      },
    );
    const fault = diagnostics[0];
    if (fault !== undefined)
      throw new Error(`${file}: ${ts.flattenDiagnosticMessageText(fault.messageText, '\n')}`);
    const foreign = [...outputText.matchAll(/from '(@palisade\/[^']+)'/g)].map(([, name]) => name);
    if (foreign.some((name) => name !== '@palisade/contracts'))
      throw new Error(`the declarations of ${file} need ${foreign.join(', ')}`);
    declared.set(file, outputText.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
    for (const [, next = ''] of outputText.matchAll(/from '\.\/([\w-]+\.ts)'/g)) declare(next);
  };
  declare('index.ts');
  const known = new Set(readdirSync(SOURCES));
  for (const [file, text] of declared) {
    if (!known.has(file)) throw new Error(`${file} is declared and not there`);
    writeFileSync(join(directory, file.replace(/\.ts$/, '.d.ts')), text);
  }
}
