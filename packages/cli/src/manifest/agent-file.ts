import { limits, PalisadeError } from '@palisade/contracts';
import { readRegularFile } from '../bounded-read.ts';
import { parseYaml, type Tree } from '../yaml/yaml-tree.ts';
import { treeValue } from '../yaml/tree-value.ts';

/*
 * An agent as a Markdown file: front matter in YAML between two lines of three dashes, then its system
 * prompt. Files of this form are written for other programs and lie in repositories, so what they may say is
 * little: what the agent is called, which model it wishes for, and which tools it is limited to. Where it
 * runs, with what program, network or environment is not theirs to choose; what else is there is told and
 * left alone.
 */

export interface AgentFile {
  readonly name: string | undefined;
  readonly model: string | undefined;
  /** Tools it is limited to; undefined when it says nothing. */
  readonly tools: readonly string[] | undefined;
  readonly systemPrompt: string;
  /** Names of fields that were left alone. */
  readonly ignored: readonly string[];
}

const FRONT_MATTER_BYTES = 64 * 1024;
const FRONT_MATTER_LIMITS = { values: 1_000, depth: 16 };
/** Says nothing that a run could go by. */
const SILENT = new Set(['description', 'color']);
const FRONT = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?<=\n)---[ \t]*(?:\r?\n|$)/;

/** Reads an agent's file; raises `invalid_input` naming the place for what is not of the form. */
export function readAgentFile(path: string, shown: string): AgentFile {
  const tooLarge = (): PalisadeError =>
    new PalisadeError('too_large', `${shown} is larger than ${limits.inputBytes} bytes`);
  const bytes = readRegularFile(path, { shown, maxBytes: limits.inputBytes, tooLarge }, 'refuse');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new PalisadeError('invalid_input', `${shown} is not UTF-8 text`);
  }
  const found = FRONT.exec(text);
  if (found === null)
    return { name: undefined, model: undefined, tools: undefined, systemPrompt: text.trim(), ignored: [] };
  const [all, front = ''] = found;
  if (front.length > FRONT_MATTER_BYTES)
    throw new PalisadeError(
      'too_large',
      `the front matter of ${shown} is larger than ${FRONT_MATTER_BYTES} bytes`,
    );
  const tree = parseYaml(front, shown, FRONT_MATTER_LIMITS, 2);
  return { ...fieldsOf(tree, shown), systemPrompt: text.slice(all.length).trim() };
}

function fieldsOf(tree: Tree, shown: string): Omit<AgentFile, 'systemPrompt'> {
  if (tree.kind === 'scalar' && tree.value === null)
    return fieldsOf({ kind: 'map', at: tree.at, members: new Map() }, shown);
  if (tree.kind !== 'map') throw refused(shown, tree, 'the front matter must be a mapping');
  const ignored: string[] = [];
  let [name, model]: (string | undefined)[] = [];
  let tools: readonly string[] | undefined;
  for (const [key, { value }] of tree.members) {
    if (key === 'name') name = textOf(value, shown, key);
    else if (key === 'model') model = textOf(value, shown, key);
    else if (key === 'tools') tools = toolsOf(value, shown);
    else if (!SILENT.has(key)) ignored.push(key);
  }
  // "inherit" is that of whoever starts it: no wish.
  return { name, model: model === 'inherit' || model === '' ? undefined : model, tools, ignored };
}

function textOf(tree: Tree, shown: string, key: string): string {
  if (tree.kind === 'scalar' && typeof tree.value === 'string') return tree.value.trim();
  throw refused(shown, tree, `${key} must be text`);
}

/** `Read, Grep, Bash(npm test:*)` or a list; a comma within parentheses belongs to its tool. */
function toolsOf(tree: Tree, shown: string): readonly string[] | undefined {
  const value = treeValue(tree);
  if (value === null || value === '') return undefined;
  const words =
    typeof value === 'string'
      ? value.split(/,(?![^()]*\))/)
      : Array.isArray(value) && value.every((word) => typeof word === 'string')
        ? value
        : null;
  if (words === null) throw refused(shown, tree, 'tools must be text or a list of text');
  const named = words.map((word) => word.trim()).filter((word) => word !== '');
  // An empty limit would read as none.
  if (named.length === 0) throw refused(shown, tree, 'tools lists nothing; leave it out for all of them');
  return named;
}

function refused(shown: string, { at }: Tree, why: string): PalisadeError {
  return new PalisadeError('invalid_input', `${shown}:${at.line}:${at.column}: ${why}`);
}
