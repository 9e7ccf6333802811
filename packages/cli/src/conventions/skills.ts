import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type CapabilityInput, limits, NewName, PalisadeError } from '@palisade/contracts';
import { filesUnder } from '../directory-files.ts';
import { containedPath } from '../manifest/contained-path.ts';
import { foreignName } from '../output/foreign-text.ts';

/*
 * Skills as programs keep them in a directory (DI-051): every directory that holds a SKILL.md is one, with
 * all that is below it. The directory is a repository's and is only read: no link is followed, names and
 * sizes are bounded, and nothing in it decides more than the content of a capability.
 */

export const SKILL_DIRECTORIES = { 'claude-code': '.claude/skills', codex: '.agents/skills' } as const;
export type SkillConvention = keyof typeof SKILL_DIRECTORIES;

export interface FoundSkills {
  readonly capabilities: readonly CapabilityInput[];
  readonly warnings: readonly string[];
}

const MARKER = 'SKILL.md';
const MAX_DIRECTORIES = 10_000;

/** The skills under a directory by a convention, sorted by name; nothing when it has none. */
export function readSkills(root: string, convention: SkillConvention): FoundSkills {
  const under = SKILL_DIRECTORIES[convention];
  const warnings: string[] = [];
  const found = new Map<string, { readonly capability: CapabilityInput; readonly from: string }>();
  let bytes = 0;
  for (const directory of skillDirectories(containedPath(root, under), warnings)) {
    const from = `${under}/${directory}`;
    const name = directory.split('/').at(-1) ?? '';
    if (!NewName.safeParse(name).success) {
      warnings.push(`${foreignName(from)} is left out: its name cannot be that of a capability`);
      continue;
    }
    const files = filesUnder(join(root, under, directory), foreignName(from));
    for (const { base64 } of files) bytes += (base64.length / 4) * 3;
    if (bytes > limits.deployBytes || found.size === limits.deployEntries)
      throw new PalisadeError(
        'too_large',
        `${under} has more than ${limits.deployBytes} bytes or ${limits.deployEntries} skills`,
      );
    const capability = {
      name,
      files: files.map((file) => ({ ...file, path: `${under}/${name}/${file.path}` })),
    };
    const before = found.get(name);
    if (before !== undefined && JSON.stringify(before.capability) !== JSON.stringify(capability))
      warnings.push(
        `${foreignName(before.from)} is left out: ${foreignName(from)} has the same name and other content`,
      );
    found.set(name, { capability, from });
  }
  const capabilities = [...found.values()].map(({ capability }) => capability);
  return { capabilities: capabilities.toSorted((a, b) => (a.name < b.name ? -1 : 1)), warnings };
}

/** Directories with a marker, relative and in order; none below another, none below a name that begins with a dot. */
function skillDirectories(top: string, warnings: string[]): string[] {
  const found: string[] = [];
  let seen = 0;
  const walk = (inside: string): void => {
    if (++seen > MAX_DIRECTORIES)
      throw new PalisadeError('too_large', `there are more than ${MAX_DIRECTORIES} directories of skills`);
    const directory = join(top, inside);
    if (inside !== '' && lstatSync(join(directory, MARKER), { throwIfNoEntry: false })?.isFile() === true) {
      found.push(inside);
      return;
    }
    for (const name of readdirSync(directory).toSorted()) {
      if (name.startsWith('.')) continue;
      const path = inside === '' ? name : `${inside}/${name}`;
      const facts = lstatSync(join(top, path));
      if (facts.isSymbolicLink()) warnings.push(`${foreignName(path)} is left out: it is a symbolic link`);
      else if (facts.isDirectory()) walk(path);
    }
  };
  if (lstatSync(top, { throwIfNoEntry: false })?.isDirectory() === true) walk('');
  return found;
}
