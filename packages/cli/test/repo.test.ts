import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { AGENTS_BLOCK, consoleTools, memoryTools, transcriptTools } from '@palisade/memory';
import { listProcesses, startedWith } from '@palisade/process';
import { describe, expect, it } from 'vitest';
import { answers } from '../src/output/answers.ts';
import { commands } from '../src/tree/tree.ts';
import { scenario } from './cases.ts';
import { BIN, Place } from './place.ts';

/** A place that is a git repository with three commits. */
function shop(): Place {
  const place = new Place(scenario());
  const write = (files: Readonly<Record<string, string>>) => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(place.directory, path)), { recursive: true });
      writeFileSync(join(place.directory, path), content);
    }
  };
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      cwd: place.directory,
    });
  git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(place.directory, '.git/info/exclude'), 'scenario.json\ncalls.ndjson\n');
  for (const at of [1, 2, 3]) {
    write({
      'package.json': '{"scripts":{"test":"test -f src/store.ts && :"}}',
      'src/store.ts': `export class Store { v${at} = 1 }\n`,
      'src/store.test.ts': `import { Store } from './store.ts'; // ${at}\n`,
      'src/long.ts': Array.from({ length: 12 }, (_, each) => `export const name${each} = 1;\n`).join(''),
      'src/shelf.ts': `import { Store } from './store.ts'; // ${at}\n`,
    });
    git('add', '.');
    git('commit', '--quiet', '-m', `Keep shelves in order ${at}\n\nCustomers look for them.`);
  }
  return place;
}

const lines: Readonly<Record<string, readonly string[]>> = {
  'repo index': ['repo', 'index'],
  'repo doctor': ['repo', 'doctor'],
  'repo explain': ['repo', 'explain', 'src/store.ts'],
  'repo safe': ['repo', 'safe', 'src/store.ts'],
  'repo plan': ['repo', 'plan', 'src/store.ts', 'mend it'],
  'repo risk': ['repo', 'risk'],
  'repo neighbors': ['repo', 'neighbors', 'src/store.ts'],
  'repo changed': ['repo', 'changed'],
  'repo review': ['repo', 'review'],
  'repo handoff': ['repo', 'handoff', 'HEAD~2'],
  'repo preflight': ['repo', 'preflight', 'Mend the store', '--scope', 'src,nothing.ts'],
  'repo decisions': ['repo', 'decisions', 'order'],
  'repo map': ['repo', 'map'],
  'repo check': ['repo', 'check', 'fast'],
  'repo agents': ['repo', 'agents'],
  'repo agents-install': ['repo', 'agents-install'],
  'repo task-start': ['repo', 'task-start', 'Mend the store', '--scope', 'src'],
  'repo task-show': ['repo', 'task-show'],
  'repo task-clear': ['repo', 'task-clear'],
};

/** What is read of an answer in JSON-RPC. */
interface Answer {
  readonly result?: {
    readonly serverInfo?: { readonly name: string };
    readonly tools?: readonly { readonly name: string; readonly annotations: object }[];
    readonly structuredContent?: object;
    readonly isError?: boolean;
  };
  readonly error?: object;
}

describe('pal repo', () => {
  it('WM-001: every command prints one document with --json, of the form that is declared, and words without', async () => {
    using place = shop();
    const declared = commands.filter(({ path }) => path.startsWith('repo ')).map(({ path }) => path);
    expect(Object.keys(lines).toSorted()).toEqual(declared.toSorted());
    for (const [path, args] of Object.entries(lines)) {
      const json = await place.pal([...args, '--json']);
      expect([path, json.code]).toEqual([path, 0]);
      const [schema] = answers[path] ?? [];
      expect(() => schema?.parse(JSON.parse(json.stdout)), path).not.toThrow();
      const text = await place.pal(args);
      expect([path, text.code, text.stdout.length > 5]).toEqual([path, 0, true]);
    }
  });

  it('tells risk, company, tests and steps of a file', async () => {
    using place = shop();
    await place.pal(['repo', 'index']);
    const { stdout, stderr } = await place.pal(lines['repo plan'] ?? []);
    expect(stdout).toContain('src/store.ts  medium risk 19');
    expect(stdout).toContain('1. read src/store.ts, then');
    expect(stdout).toContain('run npm run -s test -- src/store.test.ts');
    expect(stderr).toContain('next: pal repo check fast');
    const near = await place.pal(['repo', 'neighbors', 'src/store.ts', '--limit', '1', '--format', 'id']);
    expect(near.stdout.trim().split('\n').length).toBe(1);
  });

  it('WM-022: without an index every answer about a file says first what makes it, and calls nothing safe', async () => {
    using place = shop();
    for (const name of ['explain', 'safe', 'plan', 'neighbors', 'preflight']) {
      const { stdout, stderr } = await place.pal(lines[`repo ${name}`] ?? []);
      expect([name, stdout.split('\n')[0]]).toEqual([
        name,
        'run pal repo index first: there is no index yet',
      ]);
      expect(stdout, name).not.toMatch(/safe to edit|safe with|low risk|nothing is known to change/);
      expect([name, stderr]).toEqual([name, expect.stringContaining('next: pal repo index')]);
    }
    const { stdout } = await place.pal(['repo', 'safe', 'src/long.ts']);
    expect(stdout.split('\n').slice(1, 3)).toEqual(['inspect context first', 'src/long.ts  unknown risk']);
  });

  it('the flags do what they say', async () => {
    using place = shop();
    await place.pal(['repo', 'index']);
    const said = async (...args: string[]) => (await place.pal(['repo', ...args])).stdout;
    expect(await said('index', '--rebuild')).toContain('made anew: asked for');
    expect((await said('risk', '--limit', '2', '--format', 'id')).trim().split('\n').length).toBe(2);
    expect(
      (await said('decisions', 'order', '--limit', '1', '--format', 'id')).trim().split('\n').length,
    ).toBe(1);
    expect(await said('map', '--tokens', '50')).not.toBe(await said('map', '--tokens', '500'));
    expect((await said('map', '--around', 'src/shelf.ts')).startsWith('src/shelf.ts')).toBe(true);
    expect(await said('check', 'fast', '--dry-run')).toContain(
      'would run  npm run -s test -- src/store.test.ts',
    );
    expect(await said('task-start', 'Nothing', '--dry-run')).toContain('would start');
    expect(await said('task-show')).toContain('no task was started');
    expect(await said('check', 'fast', '--timeout', '30s')).toContain('passed');
  });

  it('a review shows forty files, or as many as are asked for, and says how many more there are', async () => {
    using place = shop();
    await place.pal(['repo', 'index']);
    for (let at = 0; at < 45; at++) writeFileSync(join(place.directory, `note${at}.md`), '');
    const shown = async (...more: string[]) => {
      const { stdout } = await place.pal(['repo', 'review', 'HEAD', ...more]);
      return [stdout.match(/^ {2}\w+ +note/gm)?.length, /… .* more: --json names all/.exec(stdout)?.[0]];
    };
    expect(await shown()).toEqual([40, '… 5 more: --json names all']);
    expect(await shown('--limit', '2')).toEqual([2, '… 43 more: --json names all']);
    expect(await shown('--limit', '45')).toEqual([45, undefined]);
    const { stdout } = await place.pal(['repo', 'review', 'HEAD', '--json']);
    expect((JSON.parse(stdout) as { changed_files: object[] }).changed_files).toHaveLength(45);
    const handoff = await place.pal(['repo', 'handoff', 'HEAD']);
    expect(handoff.stdout).toContain('… 5 more: --json names all');
  });

  it('a check that fails is exit 1 with what it wrote, one that is no tier is exit 2', async () => {
    using place = shop();
    await place.pal(['repo', 'index']);
    writeFileSync(join(place.directory, 'package.json'), '{"scripts":{"test":"echo broken; exit 4; :"}}');
    const { code, stdout } = await place.pal(['repo', 'check', 'fast']);
    expect([code, stdout.includes('broken'), stdout.includes('failed')]).toEqual([1, true, true]);
    expect((await place.pal(['repo', 'check', 'quick'])).code).toBe(2);
  });

  it('WM-250: what agents are told is put in once, in place of an older one, and the rest is left alone', async () => {
    using place = shop();
    const install = async (...more: string[]) =>
      (await place.pal(['repo', 'agents-install', ...more])).stdout;
    const read = (name: string) => readFileSync(join(place.directory, name), 'utf8');
    expect(await install('--dry-run')).toContain('would be created');
    expect(existsSync(join(place.directory, 'AGENTS.md'))).toBe(false);
    expect(await install()).toContain('created');
    expect(await install()).toContain('unchanged');
    writeFileSync(
      join(place.directory, 'AGENTS.md'),
      `# Ours\n\n${read('AGENTS.md').replace('Ask before', 'Old words before')}\nAfter.\n`,
    );
    expect(await install()).toContain('updated');
    expect(read('AGENTS.md')).toMatch(
      /^# Ours\n\n<!-- palisade: begin -->[\s\S]*Ask before[\s\S]*end -->\n\nAfter.\n$/,
    );
    writeFileSync(join(place.directory, 'CLAUDE.md'), 'No newline at the end');
    expect(await install()).toContain('updated');
    expect(read('CLAUDE.md').startsWith('No newline at the end\n\n<!-- palisade: begin -->')).toBe(true);
    // One file under both names is written once; one elsewhere never.
    rmSync(join(place.directory, 'CLAUDE.md'));
    symlinkSync('AGENTS.md', join(place.directory, 'CLAUDE.md'));
    expect(await install()).toContain('unchanged');
    rmSync(join(place.directory, 'CLAUDE.md'));
    symlinkSync('/tmp/palisade-nothing-there', join(place.directory, 'CLAUDE.md'));
    expect((await place.pal(['repo', 'agents-install'])).code).toBe(2);
    expect(existsSync('/tmp/palisade-nothing-there')).toBe(false);
  });

  it('L-73: what agents are told names the commands there are, and each of them that an agent needs', () => {
    const named = [...AGENTS_BLOCK.matchAll(/`(?:palisade )?repo ([a-z-]+)/g)].map(
      ([, name]) => `repo ${name}`,
    );
    const there = commands.map(({ path }) => path).filter((path) => path.startsWith('repo '));
    expect(named.filter((path) => !there.includes(path))).toEqual([]);
    // Those for people: where things go wrong in general, the state of the index, the words themselves, the end of a task.
    const forPeople = ['risk', 'doctor', 'agents', 'agents-install', 'task-show', 'task-clear'];
    expect(there.filter((path) => !named.includes(path)).toSorted()).toEqual(
      forPeople.map((name) => `repo ${name}`).toSorted(),
    );
  });

  it('WM-006: flags stand anywhere, unknown ones are refused, and asking for help does nothing', async () => {
    using place = shop();
    const memory = join(place.directory, '.git/palisade');
    for (const words of [
      ['index', '--help'],
      ['index', '-h'],
      ['index', '--rebuilt'],
      ['index', 'x', 'y'],
    ]) {
      const { code } = await place.pal(['repo', ...words]);
      expect([words, code]).toEqual([words, words[1]?.startsWith('-h') || words[1] === '--help' ? 0 : 2]);
    }
    expect(existsSync(memory)).toBe(false);
    await place.pal(['repo', 'index']);
    for (const words of [
      ['--json', 'repo', 'decisions', 'shelves', '--limit', '1'],
      ['repo', 'decisions', '--limit', '1', 'shelves', '--json'],
    ])
      expect(JSON.parse((await place.pal(words)).stdout), words.join(' ')).toMatchObject({
        data: [{ title: 'Keep shelves in order 3' }],
      });
    // A text to look for is a text, whatever it is.
    expect(JSON.parse((await place.pal(['repo', 'decisions', 'help', '--json'])).stdout)).toMatchObject({
      data: [],
    });
  });

  it('FF-066: calls one after another leave no process', async () => {
    using place = shop();
    const mark = `5${Math.random().toString().slice(2, 11)}`;
    for (let time = 0; time < 8; time++) {
      const words = time % 2 === 0 ? ['repo', 'index', '--rebuild'] : ['repo', 'review'];
      const child = spawn(process.execPath, [BIN, ...words, '-C', place.directory], {
        env: { ...place.env(), MARK: mark },
        stdio: 'ignore',
      });
      expect((await once(child, 'exit'))[0]).toBe(0);
    }
    const left = listProcesses().filter(({ pid }) => startedWith(pid, 'MARK', mark));
    expect(left).toEqual([]);
  }, 60_000);

  it('mcp memory offers the answers as tools, without a server', async () => {
    using place = shop();
    await place.pal(['repo', 'index']);
    const child = spawn(process.execPath, [BIN, 'mcp', 'memory'], {
      cwd: place.directory,
      env: place.env(),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const tools = [...memoryTools, ...consoleTools];
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    let id = 0;
    const ask = async (method: string, params: object): Promise<Answer> => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: id++, method, params })}\n`);
      const { value } = await answers.next();
      return JSON.parse(value as string) as Answer;
    };
    const hello = await ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    expect(hello.result?.serverInfo?.name).toBe('palisade-memory');
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    const { result: listed } = await ask('tools/list', {});
    expect(listed?.tools?.map(({ name }) => name).toSorted()).toEqual(
      [...tools, ...transcriptTools].map(({ name }) => name).toSorted(),
    );
    const hinted = Object.fromEntries(
      (listed?.tools ?? []).map(({ name, annotations }) => [name, annotations]),
    );
    expect(hinted).toMatchObject({
      repo_plan: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
      console_claim_list: { readOnlyHint: true },
      console_claim_acquire: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
      console_claim_release: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
      console_manifest_set: { readOnlyHint: false, destructiveHint: true },
    });
    const call = async (name: string, given: object) =>
      (await ask('tools/call', { name, arguments: given })).result;
    for (const { name, output } of tools) {
      const given = {
        ...(/plan|explain|safe|neighbors/.test(name) ? { file: 'src/store.ts' } : {}),
        ...(name === 'repo_decisions' ? { query: 'order' } : {}),
        ...(name === 'repo_preflight' ? { task: 'Mend' } : {}),
        ...(name === 'repo_task_start' ? { goal: 'Mend' } : {}),
        ...(/manifest|acquire|release/.test(name) ? { session: 'codex:01a2' } : {}),
        ...(name === 'console_claim_acquire' ? { paths: ['src'] } : {}),
      };
      const { structuredContent, isError } = (await call(name, given)) ?? {};
      expect([name, isError]).toEqual([name, undefined]);
      expect(() => output.parse(structuredContent), name).not.toThrow();
    }
    await call('console_claim_acquire', { session: 'codex:01a2', paths: ['src'] });
    for (const [paths, content] of [
      [['src/store.ts'], { status: 'conflict', conflicts: [{ session_id: '01a2' }] }],
      [['README.md'], { status: 'acquired' }],
    ] as const)
      expect(await call('console_claim_acquire', { session: 'codex:77', paths })).toMatchObject({
        structuredContent: content,
      });
    expect(await call('console_claim_acquire', { paths: ['src'] })).toMatchObject({ isError: true });
    expect(await call('console_claim_acquire', { session: 'x:y', paths: ['/etc'] })).toMatchObject({
      isError: true,
    });
    for (const given of [
      {},
      { file: '../../etc/passwd' },
      { file: '/etc/passwd' },
      { file: 'src/store.ts', more: 1 },
      { file: 'no/such' },
      { file: 7 },
    ])
      expect(await call('repo_plan', given)).toMatchObject({ isError: true });
    expect(await call('transcript_list', {})).toMatchObject({ isError: true });
    await place.pal(['transcript', 'index']);
    mkdirSync(join(place.directory, '.claude/projects/p'), { recursive: true });
    const record = { type: 'user', sessionId: 's', cwd: place.directory, message: { content: 'mend it' } };
    writeFileSync(join(place.directory, '.claude/projects/p/s.jsonl'), `${JSON.stringify(record)}\n`);
    await place.pal(['transcript', 'index', '--quiet-period', '0s']);
    expect((await call('transcript_search', { query: 'mend' }))?.structuredContent).toMatchObject({
      data: [{ session: { id: 's' }, role: 'user' }],
    });
    expect((await ask('tools/call', { name: 'repo_check', arguments: {} })).error).toBeDefined();
    const ended = once(child, 'exit');
    child.stdin.end();
    expect((await ended)[0]).toBe(0);
  });

  it('WM-007: the old names are understood and say the new one', async () => {
    using place = shop();
    await place.pal(['index']);
    const { code, stderr } = await place.pal(['changed-now']);
    expect([code, stderr.includes('"pal changed-now" is now "pal repo changed"')]).toEqual([0, true]);
    expect((await place.pal(['neighbors', 'src/store.ts'])).code).toBe(0);
    expect((await place.pal(['task', 'start', 'It'])).code).toBe(0);
  });

  it('asking makes no control plane, and one that is there does not mind', async () => {
    using place = shop();
    await place.pal(['repo', 'index']);
    expect(existsSync(join(place.directory, '.git/palisade/memory.db'))).toBe(true);
    const { code, stderr } = await place.pal(['repo', 'explain', 'no/such.ts']);
    expect([code, stderr.includes('neither on disk nor in the index')]).toEqual([2, true]);
  });

  it('outside of a repository it says what is missing', async () => {
    using place = new Place(scenario());
    const { code, stderr } = await place.pal(['repo', 'changed']);
    expect([code, stderr.includes('is not inside a usable git repository')]).toEqual([2, true]);
  });
});
