import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { flagName } from '../src/tree/declaration.ts';
import { globalFlagName, globalFlags, mutationFlags } from '../src/tree/global-flags.ts';
import { resolveCommand } from '../src/tree/resolve.ts';
import { commands } from '../src/tree/tree.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const pages = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => join('docs', name))].filter(
  (name) => name.endsWith('.md'),
);
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** Command lines of the blocks that a reader would copy. */
const linesOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)]
    .flatMap(([, block]) => (block ?? '').split('\n'))
    .map((line) => line.trim());

describe('what the documents tell people to type', () => {
  it.each(pages)('%s: every palisade command is one', (page) => {
    for (const line of linesOf(page)) {
      const typed = /^(?:palisade|pal) (.*)$/.exec(line.replace(/\s#.*$/, ''))?.[1];
      if (typed === undefined) continue;
      expect(() => resolveCommand(typed.split(/\s+/)), line).not.toThrow();
    }
  });

  it.each(pages)('L-72: %s: what it names in passing are commands, with flags they have', (page) => {
    const spans = [
      ...textOf(page)
        .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
        .matchAll(/`((?:palisade|pal) [^`]+)`/g),
    ];
    for (const [, typed = ''] of spans) {
      // `repo …` and `run PLAN|ITEM` are ways to speak of several.
      if (/[…|{<]|\.\.\./.test(typed)) continue;
      const words = typed.split(/\s+/).slice(1);
      const group = commands.some(({ path }) => path.startsWith(`${words.join(' ')} `));
      if (group) continue;
      const { declaration, rest } = resolveCommand(words);
      const known = new Set(
        [
          ...Object.keys(globalFlags).map((key) => globalFlagName(key as keyof typeof globalFlags)),
          ...Object.keys(declaration.flags).map(flagName),
          ...(declaration.effect === 'mutation' ? Object.keys(mutationFlags).map(flagName) : []),
          'help',
        ].map((name) => `--${name}`),
      );
      const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
      for (const word of own)
        if (word.startsWith('--')) expect(known, `${page}: ${typed}`).toContain(word.replace(/[=,].*$/, ''));
    }
  });

  it('the README names what is used from hour to hour, and what has a group of its own', () => {
    const readme = textOf('README.md');
    for (const command of ['watch', 'show', 'explain', 'metrics', 'usage', 'pipeline register'])
      expect(readme, command).toContain(`palisade ${command}`);
    expect(readme).toMatch(/^\| `shape` \|/m);
  });

  it('nothing puts the directory on the PATH in which a Node of ours lies beside the commands', () => {
    for (const page of pages) expect(textOf(page), page).not.toMatch(/PATH=\S*node_modules\/\.bin/);
  });

  it('nothing is fetched by a name that no registry has', () => {
    for (const page of pages) {
      const fetched = linesOf(page).filter((line) =>
        /^(?:npx|npm (?:install|i)) (?:@palisade\/|palisade)/.test(line),
      );
      expect(fetched, page).toEqual([]);
    }
  });
});
