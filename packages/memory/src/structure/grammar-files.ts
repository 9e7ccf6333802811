import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as TreeSitter from '@vscode/tree-sitter-wasm';

const require = createRequire(import.meta.url);

/** The program that runs grammars. A bundle has it, and them, beside itself. */
const runtime = require.resolve('@vscode/tree-sitter-wasm');

/** Where the file of a grammar or of the runtime is. */
export function grammarFile(name: string): string {
  return join(dirname(runtime), name);
}

/** Reads the runtime; only what parses needs it. Each call gives one of its own: one that was aborted does nothing more. */
export function loadRuntime(): typeof TreeSitter {
  delete require.cache[runtime];
  return require(runtime) as typeof TreeSitter;
}
