import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completionScript } from '../src/completion/script.ts';
import { furnished } from './cases.ts';

/** What bash offers after these words, the last of which is being typed. */
function offered(directory: string, ...words: string[]): string[] {
  const ask = `source "$1"; shift; COMP_WORDS=(pal "$@"); COMP_CWORD=$#; _palisade; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const script = join(directory, 'completion.sh');
  writeFileSync(script, completionScript('bash'));
  const text = execFileSync('bash', ['--norc', '-c', ask, 'bash', script, ...words], {
    cwd: directory,
    encoding: 'utf8',
  });
  return text.split('\n').filter((line) => line !== '');
}

describe('completion in bash', () => {
  it('offers commands, their flags, known words, and the runs that commands have shown here', async () => {
    using place = furnished();
    await place.pal(['status']);
    const { directory } = place;
    expect(offered(directory, 'ev')).toEqual(['events', 'evidence']);
    expect(offered(directory, 'evidence', 'r')).toEqual(['rotate-key', 'revoke-key']);
    expect(offered(directory, 'cancel', '--d')).toEqual(['--dry-run', '--directory']);
    expect(offered(directory, 'config', 'set', 'req')).toEqual(['require_isolation']);
    expect(offered(directory, 'help', 'exit')).toEqual(['exit-codes']);
    expect(offered(directory, 'completion', 'z')).toEqual(['zsh']);
    for (const command of ['show', 'verify', 'apply'])
      expect(offered(join(directory, 'sub'), command, 'run_')).toEqual([
        'run_0198aa00000070008000000000000001',
      ]);
  });

  it('a cache that somebody else wrote runs nothing', () => {
    using place = furnished();
    const cache = join(place.directory, '.palisade/cache');
    mkdirSync(cache, { recursive: true });
    const trap = join(place.directory, 'sprung');
    writeFileSync(
      join(cache, 'runs.tsv'),
      `run_good\ttitle\n$(touch '${trap}')\tx\n\`touch\${IFS}${trap}\`\tx\n--help\tx\n`,
    );
    expect(offered(place.directory, 'show', '')).toEqual(['run_good']);
    expect(existsSync(trap)).toBe(false);
  });
});
