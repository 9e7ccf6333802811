import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { answers } from '../src/output/answers.ts';
import { fieldsOf } from '../src/output/fields.ts';
import { commands } from '../src/tree/tree.ts';
import { Place } from './place.ts';

const A = ['--session', 'codex:01a2'] as const;
const B = ['--session', 'claude-code:77f0'] as const;

/** A user with a repository, and something of everything that sessions say. */
async function furnished(): Promise<Place> {
  const place = new Place({ runs: [] });
  execFileSync('git', ['init', '--quiet', '-b', 'main'], { cwd: place.directory, env: place.env() });
  for (const words of [
    ['manifest-set', ...A, '--goal', 'mend \u001B[31mthe cart', '--file', 'src/cart.ts'],
    ['handoff-write', ...A, 'half done', '--next', 'tests'],
    ['handoff-write', ...A, 'for you', '--to', 'claude-code:77f0'],
    ['claim-acquire', ...B, 'src'],
    ['authority-request', ...A, 'push main', '--level', 'push'],
    ['gate-open', ...A, 'publish', '--required', '2'],
    ['review-create', ...A, 'the patch'],
    ['run', '--id', 'one', '--', 'sh', '-c', 'printf "a\\n\\033[2Jb\\n"'],
  ])
    expect(await place.pal(['console', ...words]), words.join(' ')).toMatchObject({ code: 0 });
  return place;
}

const covered: (readonly string[])[] = [
  ['list'],
  ['show', '01a2'],
  ['manifest-set', ...A, '--step', 'tests'],
  ['handoff-write', ...A, 'more'],
  ['handoff-list'],
  ['handoff-accept', ...B, 'hnd-2'],
  ['claim-acquire', ...B, 'docs', '--ttl', '1h'],
  ['claim-release', ...B, '--file', 'src'],
  ['claim-list', '--all'],
  ['authority-request', ...B, 'look at it', '--target', 'codex:01a2'],
  ['authority-decide', 'act-1', '--approve', '--by', 'human:bob'],
  ['authority-list'],
  ['gate-open', 'another', '--type', 'any'],
  ['gate-attest', 'gat-1', '--verdict', 'approve', '--evidence', 'read it'],
  ['gate-list'],
  ['review-create', 'another'],
  ['review-show', 'rev-1'],
  ['review-close', 'rev-1', '--decision', 'revise'],
  ['run', '--', 'true'],
  ['owned-list', '--all'],
  ['owned-show', 'one'],
  ['read', 'one', '--tail', '1'],
];

describe('pal console', () => {
  it('every command has a case here, or is interrupted in owned.test.ts', () => {
    const known = new Set([...covered.map(([verb]) => `console ${verb ?? ''}`), 'console interrupt']);
    expect(commands.filter(({ path }) => path.startsWith('console ') && !known.has(path))).toEqual([]);
  });

  it.each(covered)(
    '%s: --json is one document that its contract accepts, whose fields can be listed',
    async (...args) => {
      using place = await furnished();
      const command = ['console', ...args.filter((word) => word !== undefined)];
      const path = command.slice(0, 2).join(' ');
      // In front of `--`, behind which everything is the command's.
      const json = [...command.slice(0, 2), '--json', ...command.slice(2)];
      const { stdout, stderr } = await place.pal(json);
      const parsed = answers[path]?.[0]?.safeParse(JSON.parse(stdout));
      expect(parsed?.error?.issues ?? [], stderr).toEqual([]);
      const fields = await place.pal([...command.slice(0, 2), '--json=?', ...command.slice(2)]);
      expect(fields.stdout.trim().split('\n')).toEqual(await fieldsOf(path));
    },
  );

  it('says what people read, and nothing of it commands their terminal', async () => {
    using place = await furnished();
    const said = async (...words: string[]): Promise<string> =>
      (await place.pal(['console', ...words])).stdout
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
        .replaceAll(/@[^\s:]+/g, '@HOST')
        .replaceAll(place.directory, 'HOME');
    expect(await said('show', ...A)).toMatchInlineSnapshot(`
      "quiet    codex:01a2@HOST
        mend \\x1b[31mthe cart
        1 claim of others on files it names
      said     TIME in HOME
      goal     mend \\x1b[31mthe cart

      files:
        src/cart.ts
      "
    `);
    expect(await said('claim-list')).toMatchInlineSnapshot(`
      "clm-1  active  src  until TIME  claude-code:77f0@HOST
      "
    `);
    expect(await said('handoff-list', '--to', '77f0')).toMatchInlineSnapshot(`
      "hnd-2  open  TIME  codex:01a2@HOST to claude-code:77f0@HOST
        for you
      hnd-1  open  TIME  codex:01a2@HOST to anybody
        half done
        next     tests
      "
    `);
    expect(await said('authority-list')).toMatchInlineSnapshot(`
      "act-1  requested  push  push main  by codex:01a2@HOST
      "
    `);
    expect(await said('gate-list')).toMatchInlineSnapshot(`
      "gat-1  open  0 of 2 human  publish
      "
    `);
    expect(await said('read', 'one')).toBe('a\nb\n');
    for (const words of [['list'], ['show', '01a2'], ['read', 'one'], ['list', '--format', 'md']])
      expect(await said(...words)).not.toContain('\u001B');
  });

  it('WM-074: a conflict ends with 5 and names who holds it, and dry runs keep nothing', async () => {
    using place = await furnished();
    const claim = await place.pal(['console', 'claim-acquire', ...A, 'src/cart.ts', '--json']);
    expect(claim.code).toBe(5);
    expect(JSON.parse(claim.stdout)).toMatchObject({
      status: 'conflict',
      conflict_ids: ['clm-1'],
      conflicts: [{ provider: 'claude-code', session_id: '77f0', target: 'src' }],
    });
    await place.pal(['console', 'claim-acquire', ...A, 'docs', '--dry-run']);
    expect((await place.pal(['console', 'claim-list', '--format', 'id'])).stdout).toBe('clm-1\n');
    expect(await place.pal(['console', 'claim-acquire', ...A, '../x'])).toMatchObject({ code: 2 });
    expect(await place.pal(['console', 'claim-acquire', 'docs'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--session'),
    });
  });

  it('a dry run says what it would do and does nothing; a change says that it is made', async () => {
    using place = await furnished();
    const changes: readonly (readonly string[])[] = [
      ['say', 'manifest-set', ...A, '--step', 'tests'],
      ['hand off', 'handoff-write', ...A, 'more'],
      ['accept', 'handoff-accept', ...B, 'hnd-2'],
      ['claim', 'claim-acquire', ...B, 'docs'],
      ['release', 'claim-release', ...B, '--file', 'src'],
      ['request', 'authority-request', ...B, 'look at it'],
      ['approve', 'authority-decide', 'act-1', '--approve'],
      ['open', 'gate-open', 'another'],
      ['attest', 'gate-attest', 'gat-1', '--verdict', 'deny'],
      ['create', 'review-create', 'another'],
      ['close', 'review-close', 'rev-1', '--decision', 'revise'],
    ];
    const state = async (): Promise<string[]> => {
      const told: string[] = [];
      for (const list of [
        'claim-list --all',
        'handoff-list --all',
        'authority-list --all',
        'gate-list --all',
      ])
        told.push((await place.pal(['console', ...list.split(' ')])).stdout);
      told.push((await place.pal(['console', 'review-show'])).stdout);
      told.push((await place.pal(['console', 'show', '01a2'])).stdout);
      return told;
    };
    const before = await state();
    for (const [verb = '', ...words] of changes)
      expect((await place.pal(['console', ...words, '--dry-run'])).stdout, verb).toMatch(
        new RegExp(`^would ${verb}  \\S`),
      );
    expect(await state()).toEqual(before);
    for (const [verb, ...words] of changes)
      expect((await place.pal(['console', ...words])).stdout, verb).toMatch(/^ok {7}\S/);
  });

  it('a path to claim-release is led to --file', async () => {
    using place = await furnished();
    expect(await place.pal(['console', 'claim-release', ...B, 'src/my cart'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("pal console claim-release --file 'src/my cart'"),
    });
  });

  it('WM-071: a beginning that several sessions have is refused with their names', async () => {
    using place = await furnished();
    await place.pal(['console', 'manifest-set', '--session', 'codex:01a3', '--goal', 'x']);
    expect(await place.pal(['console', 'show', '01a'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/2 sessions[\s\S]*codex:01a2@\S+; codex:01a3@/),
    });
  });

  it('D-08: the same request is decided once, and not by who asked', async () => {
    using place = await furnished();
    const decide = (...words: string[]) => place.pal(['console', 'authority-decide', 'act-1', ...words]);
    expect(await decide('--approve', ...A)).toMatchObject({ code: 4 });
    expect(await decide('--approve', '--deny')).toMatchObject({ code: 2 });
    expect(await decide('--deny', '--reason', 'not today')).toMatchObject({ code: 0 });
    expect(await decide('--approve')).toMatchObject({ code: 5 });
  });

  it('D-08: a key that somebody chose changes nothing again and tells what is now; --by is kept redacted', async () => {
    using place = await furnished();
    const claim = () =>
      place.pal(['console', 'claim-acquire', 'docs', '--idempotency-key', 'k', '--session', 'codex:01a2']);
    const first = await claim();
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('active') });
    expect(await claim()).toMatchObject({ code: 0, stdout: first.stdout });
    await place.pal(['console', 'claim-release', '--all', ...A]);
    expect(await claim()).toMatchObject({
      code: 5,
      stdout: 'conflict: what was claimed has ended, ask with another key\n',
    });
    const by = ['--by', `token = abcdefghijklmnop1 ${'x'.repeat(1000)}`];
    const denied = await place.pal(['console', 'authority-decide', 'act-1', '--deny', ...by, '--json']);
    const { decided_by: who } = JSON.parse(denied.stdout) as { decided_by: string };
    expect(who).toContain('<redacted');
    expect(who.length).toBeLessThanOrEqual(500);
  });

  it("D-08: what is behind -- is the command's, whatever it looks like", async () => {
    using place = new Place({ runs: [] });
    const echo = [
      'sh',
      '-c',
      'for word; do echo "$word"; done',
      'sh',
      '--json',
      '--help',
      '-q',
      '--',
      '--id',
    ];
    expect((await place.pal(['console', 'run', '-q', '--', ...echo])).stdout).toBe(
      '--json\n--help\n-q\n--\n--id\n',
    );
    const failed = await place.pal(['console', 'run', '--id', '../x', '--', 'true', '--json']);
    expect(failed).toMatchObject({ code: 2, stdout: '' });
  });

  it('the reference names lead to ours, and what only asks makes no file', async () => {
    using place = new Place({ runs: [] });
    for (const words of ['ls', 'claim list', 'authority list', 'action list', 'gate list', 'owned list'])
      expect(await place.pal(['console', ...words.split(' ')]), words).toMatchObject({ code: 0 });
    expect((await place.pal(['console', 'claim', 'nonsense'])).code).toBe(2);
    const files = execFileSync('find', [place.directory, '-name', 'console.db*'], { encoding: 'utf8' });
    expect(files).toBe('');
    expect(
      await place.pal(['console', 'gate-list'], { env: { PALISADE_CONSOLE_DB: 'relative.db' } }),
    ).toMatchObject({ code: 2, stderr: expect.stringContaining('absolute path') });
  });

  it('WM-070: watching is for people', async () => {
    using place = new Place({ runs: [] });
    expect(await place.pal(['console', 'watch', '--watch', '--json'])).toMatchObject({ code: 2 });
  });
});
