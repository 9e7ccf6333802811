import { dirname } from 'node:path';
import { limits, PalisadeError } from '@palisade/contracts';
import { readRegularFile } from '../bounded-read.ts';
import type { Invocation } from '../invocation.ts';
import { foreignName } from '../output/foreign-text.ts';
import { userPath } from '../user-path.ts';
import { type Problem, schemaProblems } from '../yaml/schema-problems.ts';
import { parseYaml, type Tree } from '../yaml/yaml-tree.ts';
import { treeValue } from '../yaml/tree-value.ts';
import { Manifest, respelled } from './manifest-schema.ts';

const MANIFEST_LIMITS = { values: 50_000, depth: 32 };

export interface ManifestFile {
  readonly manifest: Manifest;
  /** For the places of what is found wrong later. */
  readonly tree: Tree;
  /** Absolute directory of the manifest; everything it names lies in there. */
  readonly directory: string;
  /** How messages name the file. */
  readonly shown: string;
}

/** Reads a manifest and checks its form; raises `invalid_input` with every problem and its place. */
export function readManifest(invocation: Invocation, name: string): ManifestFile {
  const path = userPath(invocation.directory, name);
  const shown = foreignName(name);
  const tooLarge = (): PalisadeError =>
    new PalisadeError('too_large', `${shown} is larger than ${limits.inputBytes} bytes`);
  const bytes = readRegularFile(path, { shown, maxBytes: limits.inputBytes, tooLarge }, 'follow');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new PalisadeError('invalid_input', `${shown} is not UTF-8 text`);
  }
  const tree = respelled(parseYaml(text, shown, MANIFEST_LIMITS));
  refuseProblems(shown, schemaProblems(Manifest, tree));
  return { manifest: Manifest.parse(treeValue(tree)), tree, directory: dirname(path), shown };
}

/** Raises `invalid_input` when there are problems, in the order in which they stand in the file. */
export function refuseProblems(
  shown: string,
  problems: readonly Problem[],
  code: PalisadeError['code'] = 'invalid_input',
): void {
  if (problems.length === 0) return;
  const issues = problems
    .toSorted((a, b) => a.at.line - b.at.line || a.at.column - b.at.column)
    .map(({ at, path, message }) => ({ path: `${shown}:${at.line}:${at.column}: ${path}`, message }));
  throw new PalisadeError(
    code,
    `${shown} has ${issues.length === 1 ? 'a problem' : `${issues.length} problems`}; nothing was changed`,
    { issues },
  );
}
