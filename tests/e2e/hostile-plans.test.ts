import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRepository, palisade, removeInstallation } from '../support/installation.ts';
import { planFile } from '../support/plan-file.ts';

let root = '';
beforeAll(async () => {
  root = makeRepository({ 'a.txt': 'zero\n' });
  expect((await palisade(root, ['init'])).code).toBe(0);
});
afterAll(() => removeInstallation(root));

const item = (id: string, more: object = {}) => ({ id, command: 'true', ...more });
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const chain = (length: number) =>
  Array.from({ length }, (_, i) => item(`i${i}`, i === 0 ? {} : { depends_on: [`i${i - 1}`] }));

interface Failure {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly retryable: boolean;
    readonly issues?: readonly { readonly path: string; readonly message: string }[];
  };
}

/** What each malformed plan is, and what its refusal has to say. */
const refused: Readonly<Record<string, readonly [unknown, RegExp]>> = {
  'no JSON': ['{"items": [', /not JSON/],
  empty: ['', /not JSON/],
  'not UTF-8': [Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), /not UTF-8/],
  'UTF-16': [Buffer.from(`\ufeff${JSON.stringify({ items: [item('a')] })}`, 'utf16le'), /not UTF-8|not JSON/],
  'a number': ['7', /expected object|invalid input/i],
  'an array': ['[]', /expected object|invalid input/i],
  'no items': [{ items: [] }, /at least one item/],
  'unknown keys': [{ items: [item('a', { depend_on: [] })], itmes: [] }, /depend_on|itmes/],
  'wrong types': [
    { items: [{ id: 5, command: ['x'], depends_on: 'a', timeout_seconds: '9' }] },
    /items\[0\]\.id/,
  ],
  'a key given twice': ['{"items":[{"id":"a","command":"true","command":"rm -rf ~"}]}', /"command" twice/],
  'a prototype key': ['{"__proto__":{"x":1},"items":[{"id":"a","command":"true"}]}', /__proto__/],
  'an id twice': [{ items: [item('a'), item('a')] }, /already the id/],
  'a cycle': [
    {
      items: [
        item('a', { depends_on: ['c'] }),
        item('b', { depends_on: ['a'] }),
        item('c', { depends_on: ['b'] }),
      ],
    },
    /cycle/,
  ],
  'a loop': [{ items: [item('a', { depends_on: ['a'] })] }, /cycle/],
  'an unknown item': [{ items: [item('a', { depends_on: ['b'] })] }, /unknown item "b"/],
  'a traversal in an id': [{ items: [item('../../etc')] }, /items\[0\]\.id/],
  'a NUL in an id': [{ items: [item('a\u0000b')] }, /items\[0\]\.id/],
  'a NUL in a command': [{ items: [item('a', { command: 'echo a\u0000b' })] }, /NUL|command/],
  'a lone surrogate': ['{"items":[{"id":"a","command":"echo \\ud800"}]}', /surrogate/i],
  'a lone surrogate in a key': [
    '{"items":[{"id":"a","command":"true","inputs":{"workerInput":{"\\udc00":1}}}]}',
    /surrogate/i,
  ],
  'a traversal in an output': [
    {
      items: [
        item('a'),
        item('b', { needs: { x: { from: 'a', select: { kind: 'output', path: '../../etc/passwd' } } } }),
      ],
    },
    /path/,
  ],
  'deep nesting': [
    `{"items":[{"id":"a","command":"true","inputs":{"workerInput":${nested(200_000)}}}]}`,
    /deep|nest/i,
  ],
  'deep nesting anywhere': [nested(200_000), /object|deep|nest/i],
  'an infinite number': [
    '{"items":[{"id":"a","command":"true","inputs":{"workerInput":1e999}}]}',
    /workerInput|finite/i,
  ],
  'too many items': [{ items: Array.from({ length: 20_001 }, (_, i) => item(`i${i}`)) }, /items/],
  'thousands of unknown references': [
    {
      items: Array.from({ length: 4_000 }, (_, i) =>
        item(`item-number-${i}`, { depends_on: [`unknown-item-${i}`] }),
      ),
    },
    /unknown item/,
  ],
};

describe('hostile plans', { timeout: 60_000 }, () => {
  it.each(Object.keys(refused))('DI-163 FF-078: %s is refused, by validation and by run', async (name) => {
    const [plan, message] = refused[name] as readonly [unknown, RegExp];
    const file = planFile(root, plan, `${name.replaceAll(' ', '-')}.json`);
    const results = await Promise.all([
      palisade(root, ['plan', 'validate', file, '--json']),
      palisade(root, ['run', file, '--json']),
    ]);
    // What is no JSON at all is wrong input to both; a problem in the plan is what validation reports.
    expect([1, 2], results[0].stdout.slice(0, 500)).toContain(results[0].code);
    expect(results[1].code, results[1].stdout.slice(0, 500)).toBe(2);
    for (const result of results) {
      expect(result.signal).toBe(null);
      expect(result.stdout + result.stderr).not.toMatch(/"internal"|\n\s+at /);
    }
    const { error } = JSON.parse(results[1].stdout) as Failure;
    expect(error).toMatchObject({ code: 'invalid_plan', retryable: false });
    const said = [
      error.message,
      ...(error.issues ?? []).map((issue) => `${issue.path} ${issue.message}`),
    ].join('\n');
    expect(said).toMatch(message);
  });

  it('DI-163: a plan beyond the size limit is refused without being read', async () => {
    const file = planFile(
      root,
      `{"items":[{"id":"a","command":"true"}]}${' '.repeat(64 * 1024 * 1024)}`,
      'huge.json',
    );
    const result = await palisade(root, ['run', file, '--json']);
    expect(result.code).toBe(2);
    expect((JSON.parse(result.stdout) as Failure).error.code).toBe('too_large');
  });

  it('DI-163: a chain of 10,000 items, a byte order mark, and hostile text in titles are no problem', async () => {
    const file = planFile(root, { items: chain(10_000) }, 'chain.json');
    expect(await palisade(root, ['plan', 'validate', file])).toMatchObject({ code: 0 });
    const marked = planFile(root, `\ufeff${JSON.stringify({ items: [item('a')] })}`, 'bom.json');
    expect(await palisade(root, ['plan', 'validate', marked])).toMatchObject({ code: 0 });
    const title = '\u001b]0;owned\u0007\u001b[2Jx\u202e\nfailed: fake line';
    const titled = planFile(root, { title, items: [item('a', { title })] }, 'title.json');
    const shown = await palisade(root, ['run', titled, '--dry-run']);
    expect(shown.code, shown.stderr).toBe(0);
    // oxlint-disable-next-line no-control-regex
    expect(shown.stdout + shown.stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202e]/);
  });

  it('nothing of it was started', async () => {
    const { stdout } = await palisade(root, ['status', '--json']);
    expect((JSON.parse(stdout) as { data: unknown[] }).data).toEqual([]);
  });
});
