import { posix, win32 } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPalisadeError } from './errors.ts';
import { assertSafePath, assertSafePaths, findPathConflict, foldedPath, quotePath } from './safe-path.ts';

const isRefused = (path: string): boolean => {
  try {
    assertSafePath(path);
    return false;
  } catch (error) {
    return isPalisadeError(error, 'unsafe_path');
  }
};

describe('assertSafePath', () => {
  it('DI-042: paths that leave the workspace or name a reserved place are refused', () => {
    for (const path of [
      '',
      '/etc/passwd',
      '../x',
      'a/../../x',
      'a/..',
      '..',
      '.',
      './a',
      'a/./b',
      'a//b',
      'a/',
      'a\\b',
      '..\\x',
      'C:x',
      'c:/x',
      'a\u0000b',
      'a\nb',
      'a\u001fb',
      'a\u007f',
      'a\u0085',
      'a\u2028b',
      '\ud800',
      `${'a/'.repeat(600)}a`,
      'x'.repeat(256),
      'ä'.repeat(128),
    ])
      expect(isRefused(path), JSON.stringify(path)).toBe(true);
  });

  it('DI-042: .git and .palisade are refused in every spelling a file system may take for them', () => {
    for (const path of [
      '.git/config',
      'sub/.git/hooks/pre-commit',
      '.GIT/config',
      '.Git',
      '.git./x',
      '.git /x',
      '.git::$INDEX_ALLOCATION/config',
      'git~1/config',
      'GIT~1',
      'GI7EBA~1/config',
      '.g\u200cit/config',
      '.git\ufeff/config',
      '.palisade/secrets',
      'a/.PALISADE',
      'PALISA~1/x',
      '\uff0egit/config',
    ])
      expect(isRefused(path), JSON.stringify(path)).toBe(true);
  });

  it('DI-042: ordinary names pass, whatever the language', () => {
    for (const path of [
      'README.md',
      '.claude/skills/x/SKILL.md',
      '.gitignore',
      '.github/workflows/ci.yml',
      'git/config',
      '.palisade.toml',
      'a b/c’d/"quoted"%20.txt',
      'Ünï/漢字/😀.md',
      '..a/b..',
      '...',
      'x'.repeat(255),
    ])
      expect(assertSafePath(path)).toBe(path);
  });

  it('DI-042: whatever passes stays inside the directory on POSIX and Windows', () => {
    const segment = fc.oneof(
      fc.constantFrom('..', '.', '', 'C:', '~', '.git', '\\', 'a', '..\\', '/', '\u0000'),
      fc.string({ maxLength: 5, unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 6 }), (segments) => {
        const path = segments.join('/');
        if (isRefused(path)) return;
        expect(posix.join('/root', path).startsWith('/root/')).toBe(true);
        expect(posix.normalize(path)).toBe(path);
        expect(win32.resolve('C:\\root', path).startsWith('C:\\root\\')).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('errors show the path escaped', () => {
    expect(quotePath('a\u001b[31m\u202e\u0085')).toBe('"a\\u001b[31m\\u202e\\u0085"');
    expect(quotePath('x'.repeat(500)).length).toBeLessThan(130);
  });
});

describe('paths together', () => {
  it('FF-008: names that differ only in case or Unicode form are found and both are named', () => {
    expect(findPathConflict(['README.md', 'Readme.md'])).toEqual({
      first: 'README.md',
      second: 'Readme.md',
      kind: 'case',
    });
    expect(findPathConflict(['caf\u00e9', 'cafe\u0301'])?.kind).toBe('case');
    expect(findPathConflict(['a/ÄB', 'a/äb'])?.kind).toBe('case');
    expect(findPathConflict(['a', 'b', 'a'])?.kind).toBe('duplicate');
    expect(() => assertSafePaths(['docs/A.md', 'docs/a.md'])).toThrow(/"docs\/A\.md" and "docs\/a\.md"/);
  });

  it('DI-042: a file cannot also be a directory', () => {
    expect(findPathConflict(['a/b', 'A'])).toEqual({ first: 'A', second: 'a/b', kind: 'file_and_directory' });
    expect(findPathConflict(['a/b', 'a/c', 'ab', 'a.b/c'])).toBeNull();
  });

  it('FF-008: folding is idempotent and case-blind', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(foldedPath(foldedPath(text))).toBe(foldedPath(text));
        expect(foldedPath(text.normalize('NFD'))).toBe(foldedPath(text.normalize('NFC')));
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(foldedPath(text.toUpperCase())).toBe(foldedPath(text.toLowerCase()));
      }),
    );
  });
});
