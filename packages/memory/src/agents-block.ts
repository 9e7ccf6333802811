import { existsSync, lstatSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { PalisadeError } from '@palisade/contracts';

const BEGIN = '<!-- palisade: begin -->';
const END = '<!-- palisade: end -->';
const FILES = ['AGENTS.md', 'CLAUDE.md'] as const;

/** What agents are told of the commands, between marks by which it is found again (WM-250). */
export const AGENTS_BLOCK = `${BEGIN}
## Before you edit

This repository's history and structure are indexed. Ask before a change; every answer says how sure it is.

- \`palisade repo index\` once, and after commits.
- \`palisade repo plan FILE\`: what is risky, what moves with it, what to test, in which steps. \`repo explain\`, \`repo safe\`, \`repo neighbors\` say parts of it.
- \`palisade repo preflight TASK --scope PATH\`: the same for the whole of a task.
- \`palisade repo map\`: the most important files and what they define. \`palisade repo decisions TEXT\`: why things are as they are.
- \`palisade repo task-start GOAL --scope PATH\` says what you are at; \`palisade repo changed\` and \`palisade repo review\` show what lies outside of it.
- \`palisade repo check fast\` before you say that it works; \`palisade repo handoff\` for whoever goes on.

\`--json\` gives each as one document. The answers advise; the code decides.
${END}
`;

export interface BlockChange {
  readonly path: string;
  readonly change: 'created' | 'updated' | 'unchanged';
}

/**
 * Puts the block into the instructions that a folder has for agents, in place of an older one; makes `AGENTS.md` where
 * there are none. The same again changes nothing. Raises `unsafe_path` for a link that leads elsewhere.
 *
 * @param isRehearsal only says what would be done
 */
export function installAgentsBlock(directory: string, isRehearsal: boolean): readonly BlockChange[] {
  const present = FILES.filter(
    (name) => lstatSync(join(directory, name), { throwIfNoEntry: false }) !== undefined,
  );
  return (present.length === 0 ? FILES.slice(0, 1) : present).map((name) => {
    const path = join(directory, name);
    assertWithin(directory, path);
    const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    const after = withBlock(before ?? '');
    if (after === before) return { path, change: 'unchanged' };
    if (!isRehearsal) writeFileSync(path, after);
    return { path, change: before === undefined ? 'created' : 'updated' };
  });
}

/** A link is followed to what lies in the folder too, as one name for both files does. Raises `unsafe_path`. */
function assertWithin(directory: string, path: string): void {
  const target = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? linked(path) : path;
  if (target === path || target?.startsWith(`${realpathSync(directory)}${sep}`) === true) return;
  throw new PalisadeError('unsafe_path', `${path} leads out of the repository`, { next: 'remove the link' });
}

function linked(path: string): string | undefined {
  return existsSync(path) ? realpathSync(path) : undefined;
}

function withBlock(text: string): string {
  const from = text.indexOf(BEGIN);
  const to = text.indexOf(END, from);
  if (from !== -1 && to !== -1)
    return text.slice(0, from) + AGENTS_BLOCK.trimEnd() + text.slice(to + END.length);
  return text === '' ? AGENTS_BLOCK : `${text.replace(/(?<!\n)\n*$/, '\n\n')}${AGENTS_BLOCK}`;
}
