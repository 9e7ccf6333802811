import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveCommand } from '../src/tree/resolve.ts';

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
