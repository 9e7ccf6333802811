import { cpSync, existsSync, mkdirSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { answers } from '../src/output/answers.ts';
import { fieldsOf } from '../src/output/fields.ts';
import { Place } from './place.ts';

const FIXTURES = fileURLToPath(new URL('../../memory/fixtures/transcripts', import.meta.url));
const CODEX = '01a227cb-32b8-70f0-89d6-c80466a14fcd';
const CLAUDE = '728b9672-ee25-46db-92b1-0ca6604d8c09';

/** What is not the same on every machine, and not now and later. */
const settled = (text: string): string =>
  text.replace(/key [0-9a-f]{12}/, 'key KEY').replace(/\/\S*palisade-cli-\w+(\S*) on .*/, 'HOME$1 on HOST');

/** A user who worked with two agents a while ago. */
function user(): Place {
  const place = new Place({ runs: [] });
  const put = (from: string, to: string): void => {
    const file = join(place.directory, to);
    mkdirSync(dirname(file), { recursive: true });
    cpSync(join(FIXTURES, from), file);
    utimesSync(file, 1_795_970_000, 1_795_970_000);
  };
  put('claude-code/session-success-resume.jsonl', '.claude/projects/-workspace/a.jsonl');
  put('codex/rollout-exec-command.jsonl', '.codex/sessions/2026/11/29/rollout-a.jsonl');
  put('opencode/session-export.json', 'archive/export.json');
  return place;
}

async function indexed(): Promise<Place> {
  const place = user();
  expect(await place.pal(['transcript', 'index'])).toMatchObject({ code: 0 });
  return place;
}

describe('pal transcript', () => {
  it.each([
    ['index'],
    ['list'],
    ['list', '--harness', 'codex', '--limit', '1', '--sides'],
    ['show', CODEX.slice(0, 8), '--transcript'],
    ['search', 'bug', 'fixing'],
    ['grep', 'a - b'],
    ['grep', '--regex', '-i', 'THERE is a [a-z]+'],
    ['related', 'calc'],
    ['related', '--file', '/workspace/calc.py', '--everywhere'],
    ['stats'],
    ['embed'],
    ['search', '--hybrid', 'repairing a bug'],
    ['live', '--all'],
  ])(
    '%s %s: --json is one document that its contract accepts, whose fields can be listed',
    async (...args) => {
      using place = await indexed();
      const command = ['transcript', ...args.filter((word) => word !== undefined)];
      const { stdout, stderr } = await place.pal([...command, '--json']);
      const path = command.slice(0, 2).join(' ');
      const parsed = answers[path]?.[0]?.safeParse(JSON.parse(stdout));
      expect(parsed?.error?.issues ?? [], stderr).toEqual([]);
      expect((await place.pal([...command, '--json=?'])).stdout.trim().split('\n')).toEqual(
        await fieldsOf(path),
      );
    },
  );

  it('says why nothing is there, and that there is more', async () => {
    using empty = user();
    const pal = async (place: Place, ...words: string[]) =>
      (await place.pal(['transcript', ...words])).stdout;
    for (const words of [['list'], ['search', 'bug'], ['search', '--hybrid', 'bug']])
      expect(await pal(empty, ...words)).toMatch(/no transcript is indexed: pal transcript index\n$/);
    using place = await indexed();
    for (const words of [['list'], ['search', 'bug']])
      expect(await pal(place, ...words, '--machine', 'other')).toMatch(
        /no transcript of other is indexed; there are those of \S+\n$/,
      );
    expect(await pal(place, 'list', '--harness', 'copilot')).not.toContain('no transcript is indexed');
    expect(await pal(place, 'list', '--limit', '1')).toMatch(/\nthere is more: --limit\n$/);
    expect(await pal(place, 'list', '--limit', '2')).not.toContain('there is more');
    expect(await place.pal(['transcript', 'search', '--hybrid', '--semantic', 'bug'])).toMatchObject({
      code: 2,
    });
    const fields = (await pal(place, 'list', '--json=?')).split('\n');
    expect(fields).toEqual(expect.arrayContaining(['id', 'title', 'machine']));
    expect(JSON.parse(await pal(place, 'list', '--limit', '1', '--json=id'))).toEqual({
      data: [{ id: CLAUDE }],
      has_more: true,
    });
  });

  it('tells of sessions as people read them', async () => {
    using place = await indexed();
    const list = await place.pal(['transcript', 'list', '--utc']);
    expect(list.stdout).toMatchInlineSnapshot(`
      "728b9672-ee2  2026-11-29T14:53:15.911Z  Create calc.py with add() and test it.
        claude-code  /workspace  main  16 messages  complete
      01a227cb-32b  2026-11-29T14:52:38.273Z  Create calc.py with add() and test it.
        codex  /workspace  14 messages  complete
      "
    `);
    expect(
      (await place.pal(['transcript', 'search', 'verifying', '--utc', '--limit', '1'])).stdout,
    ).toMatchInlineSnapshot(`
      "728b9672-ee2  2026-11-29T14:53:15.911Z  Create calc.py with add() and test it.
        claude-code  /workspace  main  16 messages  complete
        assistant 15: Verifying.
      "
    `);
    expect(
      (await place.pal(['transcript', 'grep', 'a + b/', '--harness', 'codex'])).stdout,
    ).toMatchInlineSnapshot(`
      "01a227cb-32b8-70f0-89d6-c80466a14fcd:26:tool_call: exec_command {"cmd":"sed -i 's/a - b/a + b/' calc.py"}
      "
    `);
    expect(
      (
        await place.pal(['transcript', 'related', 'calc', '--everywhere', '--limit', '1', '--utc'])
      ).stdout.replace(/score \d+(: word: calc 8)(?:, recent \d+)?/, 'score N$1'),
    ).toMatchInlineSnapshot(`
      "728b9672-ee2  2026-11-29T14:53:15.911Z  Create calc.py with add() and test it.
        claude-code  /workspace  main  16 messages  complete
        score N: word: calc 8
      "
    `);
    expect(settled((await place.pal(['transcript', 'show', CODEX, '--utc'])).stdout)).toMatchInlineSnapshot(`
      "01a227cb-32b  2026-11-29T14:52:38.273Z  Create calc.py with add() and test it.
        codex  /workspace  14 messages  complete
      id       01a227cb-32b8-70f0-89d6-c80466a14fcd  key KEY
      file     HOME/.codex/sessions/2026/11/29/rollout-a.jsonl on HOST
      program  codex  0.171.0  exec  fake  gpt-5-codex
      tokens   7500 in, 250 out, 0 from the cache, 0 into it

      asked:
        Create calc.py with add() and test it.

      answered last:
        Done: calc.py adds two numbers and the check prints 5.

      commands:
        cat > calc.py <<'E' def add(a, b): return a - b E
        cat calc.py && python3 -B -c "import calc; print(calc.add(2,3))"
        sed -i 's/a - b/a + b/' calc.py
        python3 -B -c "import calc; print(calc.add(2,3))"

      tools:
        exec_command
      "
    `);
  });

  it('L-18: what is asked for is parsed before anything is done', async () => {
    using place = user();
    const database = join(place.directory, '.local/share/palisade/transcripts.db');
    expect((await place.pal(['transcript', 'index', '--help'])).stdout).toContain('agent transcripts');
    expect(await place.pal(['transcript', 'index', '--nonsense'])).toMatchObject({ code: 2 });
    expect(await place.pal(['transcript', 'index', '--machine', 'laptop'])).toMatchObject({ code: 2 });
    // What only asks makes nothing, and "help" can be searched for.
    expect(await place.pal(['transcript', 'search', 'help', '--json'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"query":"help"'),
    });
    expect(existsSync(database)).toBe(false);
  });

  it('WM-002, WM-004: the database is where it is said to be, and nowhere else', async () => {
    using place = user();
    const env = { PALISADE_TRANSCRIPTS_DB: join(place.directory, 'elsewhere/t.db') };
    await place.pal(['transcript', 'index'], { env });
    expect(existsSync(env.PALISADE_TRANSCRIPTS_DB)).toBe(true);
    expect(existsSync(join(place.directory, '.local'))).toBe(false);
    expect(
      await place.pal(['transcript', 'list'], { env: { PALISADE_TRANSCRIPTS_DB: 'relative.db' } }),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('absolute path'),
    });
  });

  it('includes what came from another machine, and forgets it', async () => {
    using place = await indexed();
    const { stdout } = await place.pal([
      'transcript',
      'index',
      '--include',
      'archive',
      '--machine',
      'laptop',
      '--json',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ added: 1, session_count: 3 });
    expect(
      (await place.pal(['transcript', 'list', '--machine', 'laptop', '--format', 'id'])).stdout,
    ).toContain('ses_dd83');
    const forgot = await place.pal(['transcript', 'index', '--forget', 'archive', '--json']);
    expect(JSON.parse(forgot.stdout)).toMatchObject({ session_count: 2 });
  });

  it('says which session is meant when several could be, and that grep found nothing by its exit code', async () => {
    using place = await indexed();
    expect(await place.pal(['transcript', 'show', '2b'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('transcripts have "2b" in their ids'),
    });
    expect(await place.pal(['transcript', 'show', 'nope'])).toMatchObject({
      stderr: expect.stringContaining('no transcript has an id'),
    });
    expect(await place.pal(['transcript', 'grep', 'nobody said that'])).toMatchObject({
      code: 1,
      stdout: '',
    });
    expect(await place.pal(['transcript', 'grep', '(', '--regex'])).toMatchObject({ code: 2 });
    expect(await place.pal(['transcript', 'search'])).toMatchObject({ code: 2 });
  });

  it('the old names lead to the new ones', async () => {
    using place = await indexed();
    const { stdout, stderr } = await place.pal(['sessions', 'list', '--format', 'id']);
    expect(stdout.trim().split('\n').toSorted()).toEqual([CODEX, CLAUDE].toSorted());
    expect(stderr).toContain('transcript list');
  });

  it('finds by likeness what was embedded, and says when nothing was', async () => {
    using place = await indexed();
    expect((await place.pal(['transcript', 'search', '--semantic', 'adding numbers'])).stdout).toContain(
      'nothing is embedded with local hashed-ngrams-1: pal transcript embed',
    );
    expect((await place.pal(['transcript', 'embed'])).stdout).toContain('embedded  2 sessions in');
    const { stdout } = await place.pal([
      'transcript',
      'search',
      '--semantic',
      'adding numbers',
      '--format',
      'id',
    ]);
    expect(stdout.trim().split('\n').toSorted()).toEqual([CODEX, CLAUDE].toSorted());
    // A key of OpenAI alone sends nothing anywhere.
    expect(await place.pal(['transcript', 'embed'], { env: { OPENAI_API_KEY: 'k' } })).toMatchObject({
      code: 0,
    });
  });

  it('WM-061: watching is for people', async () => {
    using place = await indexed();
    for (const format of ['json', 'ndjson'])
      expect(await place.pal(['transcript', 'live', '--watch', '--format', format])).toMatchObject({
        code: 2,
      });
    expect((await place.pal(['transcript', 'live'])).stdout).toMatch(/^\d+ agents? on /);
  });
});
