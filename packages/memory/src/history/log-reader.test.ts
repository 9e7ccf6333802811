import { describe, expect, it } from 'vitest';
import { TestRepository } from '../../test/history.ts';
import { execFileSync } from 'node:child_process';
import { logArguments, type LoggedCommit, LogReader } from './log-reader.ts';

function read(repository: TestRepository, pieceBytes = 1 << 20): LoggedCommit[] {
  const output = execFileSync('git', logArguments(false), { cwd: repository.directory });
  const commits: LoggedCommit[] = [];
  const reader = new LogReader((commit) => commits.push(commit));
  for (let at = 0; at < output.length; at += pieceBytes) reader.push(output.subarray(at, at + pieceBytes));
  reader.end();
  return commits;
}

describe('log reader', () => {
  it('WM-010, L-01, L-02, FF-154: every shape of name and text comes out as it went in, however the output is cut', () => {
    using repository = new TestRepository();
    const names = [
      'plain.ts',
      'with space.ts',
      '{a => b}/x.ts',
      'old => new.ts',
      '"quoted".ts',
      'new\nline.ts',
      'tab\there.ts',
      '文档/设计.ts',
      'مجلد/ملف.ts',
      'e\u0301.ts',
      '\u202Egnp.exe.ts',
    ];
    const message = 'Subject with : and \x01\n\n:100644 100644 a b M\nsrc/not-a-file.ts\n3\t4\talso-not.ts\n';
    repository.commit(
      { message, files: Object.fromEntries(names.map((name, at) => [name, `${at}\n`])) },
      { message: 'Empty' },
      { message: 'Move', renames: { '{a => b}/x.ts': 'c/{d => e}.ts' } },
    );
    for (const size of [1 << 20, 7, 1]) {
      const [first, empty, move] = read(repository, size);
      // A name that begins with a quote is quoted in its text form, as everywhere.
      const shown = names.map((name) => (name.startsWith('"') ? String.raw`"\"quoted\".ts"` : name));
      expect(first?.changes.map(({ path }) => path).toSorted()).toEqual(shown.toSorted());
      expect(first?.changes.every(({ kind }) => kind === 'added')).toBe(true);
      expect([first?.subject, first?.body.split('\n').length]).toEqual(['Subject with : and \x01', 3]);
      expect(empty?.changes).toEqual([]);
      expect(move?.changes).toEqual([{ kind: 'renamed', path: 'c/{d => e}.ts', from: '{a => b}/x.ts' }]);
    }
  });

  it('a name that is no UTF-8 keeps its bytes', () => {
    using repository = new TestRepository();
    const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], {
      cwd: repository.directory,
      input: Buffer.from([0, 1, 2]),
      encoding: 'utf8',
    }).trim();
    const input = Buffer.concat([
      Buffer.from(`100644 blob ${blob}\t`),
      Buffer.from([0x66, 0xff, 0x6f]),
      Buffer.from('\0'),
    ]);
    const tree = execFileSync('git', ['mktree', '-z'], {
      cwd: repository.directory,
      input,
      encoding: 'utf8',
    }).trim();
    const commit = repository.git('commit-tree', '-m', 'Bytes', tree);
    repository.git('update-ref', 'refs/heads/main', commit);
    expect(read(repository)[0]?.changes).toEqual([
      { kind: 'added', path: String.raw`"f\377o"`, from: undefined },
    ]);
  });

  it('of a message of 64 MB in small pieces the beginning is kept, in the time its bytes take, and the rest is counted', () => {
    const commits: LoggedCommit[] = [];
    const reader = new LogReader((commit) => commits.push(commit));
    const piece = Buffer.from('Grüße 👩🚀'.repeat(1_000));
    const next = Buffer.from('\x02b\0\0A\0a@example.org\x002\0Next\0');
    reader.push(Buffer.from('\x02a\0\0A\0a@example.org\x001\0'));
    const pieces = Math.ceil((64 << 20) / piece.length);
    const started = performance.now();
    for (let at = 0; at < pieces; at++) reader.push(piece);
    reader.push(Buffer.concat([Buffer.from('\0'), next]));
    reader.end();
    expect(performance.now() - started).toBeLessThan(10_000);
    const [long, after] = commits;
    const kept = long?.subject.replace(/\uFFFD$/, '') ?? '';
    expect(kept.length).toBeGreaterThan(30_000);
    expect(kept.length).toBeLessThan(131_073);
    expect(Math.abs(kept.length + (long?.omitted ?? 0) - pieces * piece.toString().length)).toBeLessThan(3);
    expect([after?.sha, after?.subject, after?.omitted]).toEqual(['b', 'Next', 0]);
  });

  it('a name that no work tree can hold is left out, whichever side of a rename it is', () => {
    const commits: LoggedCommit[] = [];
    const reader = new LogReader((commit) => commits.push(commit));
    const long = 'n'.repeat(4_096);
    reader.push(
      Buffer.from(
        [
          '\x02a\0\0A\0a@example.org\x001\0Message\0',
          `\n:0 1 0 a A\0${long}\0`,
          `:1 1 a a R100\0${long}\0to.ts\0`,
          `:1 1 a a R100\0from.ts\0${'n'.repeat(1 << 20)}\0`,
          `:1 1 a a M\0${'n'.repeat(4_095)}\0`,
        ].join(''),
      ),
    );
    reader.end();
    expect(commits[0]?.changes).toEqual([
      { kind: 'added', path: 'to.ts', from: undefined },
      { kind: 'deleted', path: 'from.ts', from: undefined },
      { kind: 'modified', path: 'n'.repeat(4_095), from: undefined },
    ]);
  });
});
