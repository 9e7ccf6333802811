import { describe, expect, it } from 'vitest';
import { answers, FailureDocument } from '../src/output/answers.ts';
import { fieldsOf } from '../src/output/fields.ts';
import { commands } from '../src/tree/tree.ts';
import { cases, furnished, RUN, scenario } from './cases.ts';

/** Command lines that answer with another document than the one in the table. */
const others: readonly (readonly string[])[] = [
  ['run', 'plan.json', '--detach'],
  ['run', 'plan.json', '--dry-run'],
  ['rerun', RUN, '--dry-run'],
  ['logs', `${RUN}/lint`],
  ['apply', RUN, '--yes'],
  ['apply', RUN, '--dry-run'],
  ['artifact', 'get', `${RUN}/spec`],
  ['evidence', 'rotate-key', '--dry-run'],
  ['verify', 'bundle.json'],
  ['plan', 'validate', '-'],
  ['plan', 'render', '-'],
];
const BROKEN = '{"items":[{"id":"a","command":"true","depends_on":["b"]}]}';

const pathOf = (args: readonly string[]): string => {
  const two = args.slice(0, 2).join(' ');
  return commands.some(({ path }) => path === two) ? two : (args[0] ?? '');
};

describe('what programs read', () => {
  it('every command that answers says what it answers', () => {
    // The first two speak a protocol; what a change that is sent again answers is the server's.
    const speaking = ['mcp stdio', 'mcp memory', 'retry'];
    const silent = commands.filter(
      ({ path, hidden }) => hidden !== true && !speaking.includes(path) && (answers[path] ?? []).length === 0,
    );
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it('two formats at once are refused, in whatever order', async () => {
    using place = furnished();
    for (const words of [
      ['show', RUN, '--json', '--format', 'md'],
      ['show', '--format', 'tsv', RUN, '--json=state'],
    ]) {
      const { code, stdout } = await place.pal(words);
      expect([code, FailureDocument.parse(JSON.parse(stdout)).error.code]).toEqual([2, 'invalid_input']);
    }
  });

  for (const args of [...Object.values(cases).map((entry) => entry.args), ...others]) {
    it(`pal ${args.join(' ')} --json is one document that its contract accepts`, async () => {
      const path = pathOf(args);
      const known = answers[path] ?? [];
      expect(known.length).toBeGreaterThan(0);
      using place = furnished(scenario({ open: true }));
      const input = args.at(-1) === '-' ? BROKEN : (cases[path]?.input ?? '');
      const { stdout, stderr } = await place.pal([...args, '--json'], { input });
      const document: unknown = JSON.parse(stdout);
      const results = known.map((schema) => schema.safeParse(document));
      if (path === 'apply' && stdout.includes('"error"')) FailureDocument.parse(document);
      else
        expect(
          results.some(({ success }) => success),
          `${stdout}\n${stderr}\n${JSON.stringify(results[0]?.error)}`,
        ).toBe(true);
      // What --json=? lists is what can be picked.
      const listed = (await place.pal([...args, '--json=?'])).stdout.trim().split('\n');
      expect(listed).toEqual(await fieldsOf(path));
      const top = Object.keys((document as { data?: object[] }).data?.[0] ?? (document as object));
      if (!stdout.includes('"error"') && !('data' in (document as object)))
        expect(listed).toEqual(expect.arrayContaining(top));
    });
  }

  it('every format of every command is made of lines of its kind, and a failure is one document of its own', async () => {
    for (const [path, { args, input = '' }] of Object.entries(cases)) {
      for (const format of ['ndjson', 'tsv', 'md', 'id']) {
        using place = furnished(scenario({ open: true }));
        const { stdout } = await place.pal([...args, '--format', format], { input });
        const lines = stdout.split('\n').filter((line) => line !== '');
        const what = `pal ${path} --format ${format}`;
        if (format === 'ndjson') for (const line of lines) JSON.parse(line);
        if (format === 'md') for (const line of lines) expect(line, what).toMatch(/^\|.*\|$/);
        if (format === 'tsv')
          expect(new Set(lines.map((line) => line.split('\t').length)).size, what).toBeLessThanOrEqual(1);
        if (format === 'id') for (const line of lines) expect(line, what).not.toMatch(/\s\s/);
      }
    }
    using place = furnished();
    for (const args of [
      ['show', 'nope'],
      ['stauts'],
      ['logs'],
      ['run', 'none.json'],
      ['show', RUN, '--json=stat'],
    ]) {
      const { stdout, stderr, code } = await place.pal(
        args.some((w) => w.startsWith('--json')) ? args : [...args, '--json'],
      );
      expect(code).toBe(2);
      expect(stderr).toBe('');
      FailureDocument.parse(JSON.parse(stdout));
    }
  });
});
