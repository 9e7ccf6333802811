import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLI, git, makeRepository, palisade, removeInstallation, until } from '../support/installation.ts';
import { place } from '../support/place.ts';
import { served } from '../support/served.ts';

/** A served repository, and somebody elsewhere with a credential in the environment. */
async function newcomer(...issuing: string[]) {
  const { root, home, env: own } = place();
  const server = await served(root, own);
  const host = (...args: string[]) => palisade(root, args, own);
  expect(await host('project', 'create', 'web-shop')).toMatchObject({ code: 0 });
  const issued = await host('principal', 'create', 'ci', '--json', ...issuing);
  const { token } = JSON.parse(issued.stdout) as { token: string };
  writeFileSync(join(home, 'plan.json'), '{"items":[{"id":"a","command":"true"}]}');
  const env = { ...own, PALISADE_SERVER: server.url, PALISADE_TOKEN: token };
  const pal = (...args: string[]) => palisade(home, args, env);
  return { root, home, env, host, pal, url: server.url, token };
}

describe('a repository over a server', () => {
  it('is named by its path there: what is refused says which was asked for, and how another is named', {
    timeout: 180_000,
  }, async () => {
    const { root, home, env, pal } = await newcomer();
    const own = makeRepository({ 'plan.json': '{"items":[{"id":"a","command":"true"}]}' });
    onTestFinished(() => removeInstallation(own));
    const unnamed = await palisade(own, ['run', 'plan.json'], env);
    expect(unnamed.code).toBe(4);
    expect(unnamed.stderr).toContain(`failed: this server offers no repository at ${own}`);
    expect(unnamed.stderr).toContain("why   a repository is named by its path on the server's machine");
    expect(unnamed.stderr).toContain('--repo PATH');
    expect(unnamed.stderr).not.toContain('control plane created');
    const relative = await pal('run', 'plan.json', '--repo', 'shop');
    expect(relative.code).toBe(2);
    expect(relative.stderr).toContain('over a server, --repo is an absolute path on its machine, not shop');
    expect(relative.stderr).toContain(`next  --repo ${join(home, 'shop')} where that machine is this one`);
    const ran = await pal('run', 'plan.json', '--repo', root);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    const empty = await pal('run', 'plan.json', '--detach');
    expect(empty.stderr).toContain('--repo PATH names one of the server');
  });
});

describe('a patch that comes from a server', () => {
  it('is kept track of where git sees nothing of it, and where no control plane is taken for one', {
    timeout: 180_000,
  }, async () => {
    const { root, home, env, pal } = await newcomer();
    writeFileSync(join(home, 'plan.json'), '{"items":[{"id":"a","command":"echo two > a.txt"}]}');
    expect(await pal('run', 'plan.json', '--repo', root)).toMatchObject({ code: 0 });
    const clone = join(home, 'clone');
    git(home, 'clone', '-q', root, clone);
    mkdirSync(join(clone, 'below'));
    const run = (await pal('status', '--format', 'id')).stdout.trim();
    const applied = await palisade(join(clone, 'below'), ['apply', run], env);
    expect(applied, applied.stderr).toMatchObject({ code: 0 });
    expect(git(clone, 'status', '--short')).toBe(' M a.txt\n');
    const { PALISADE_SERVER: _, PALISADE_TOKEN: __, ...own } = env;
    const alone = await palisade(clone, ['status'], own);
    expect(alone.code).not.toBe(0);
    expect(alone.stderr).toContain('there is no control plane');
    expect(readdirSync(join(clone, '.palisade')).toSorted()).toEqual(['.gitignore', 'applied']);
    // What was applied from below is known at the top too.
    expect(await palisade(clone, ['apply', run, '--revert'], env)).toMatchObject({ code: 0 });
    expect(git(clone, 'status', '--short')).toBe('');
  });
});

describe('a credential that is held to one project', () => {
  it('AC-070: is in it where none is named, and every way to another one is said', {
    timeout: 180_000,
  }, async () => {
    const { env, home, pal, url } = await newcomer('--only-project', 'web-shop');
    const ran = await pal('run', 'plan.json', '--run-id', 'first', '--json=run.id');
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect((await pal('status', '--format', 'id')).stdout.trim()).toBe('web-shop~first');
    expect(await pal('watch', 'first')).toMatchObject({ code: 0 });
    expect(await pal('retry')).toMatchObject({ code: 0, stdout: 'nothing is pending\n' });
    const checked = async (more: Record<string, string>) => {
      const { stdout, code } = await palisade(home, ['server', 'diagnose', '--json'], { ...env, ...more });
      const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
      return { code, project: checks.find(({ name }) => name === 'project') };
    };
    expect(await checked({})).toMatchObject({ code: 0, project: { detail: 'web-shop  no other is named' } });
    const none = { result: 'fail', detail: 'there is no project default' };
    expect(await checked({ PALISADE_PROJECT: 'default' })).toMatchObject({ code: 1, project: none });
    const other = await pal('status', '--project', 'default');
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('pal config set project NAME, or --project NAME');
    expect(other.stderr).toContain(`code not_found  server ${url}  not retryable`);
  });
});

describe('a server that is set for all shells', () => {
  it('is not meant where PALISADE_SERVER is empty', { timeout: 180_000 }, async () => {
    const { root, home, env, pal, url, token } = await newcomer();
    expect(await pal('config', 'set', 'server', url)).toMatchObject({ code: 0 });
    const { PALISADE_SERVER: _, ...own } = env;
    const first = async (more: Record<string, string>) => {
      const { stdout, stderr } = await palisade(root, ['status', '-v'], { ...own, ...more });
      return stdout + stderr;
    };
    expect(await first({})).toContain('PALISADE_TOKEN is for the server that PALISADE_SERVER names');
    writeFileSync(join(home, 'token'), token);
    expect(await pal('login', url, '--file', 'token')).toMatchObject({ code: 0 });
    expect(await first({})).toContain(`server ${url}`);
    expect(await first({ PALISADE_SERVER: '' })).toContain('sqlite');
    const explained = await palisade(root, ['config', 'explain', 'server'], { ...own, PALISADE_SERVER: '' });
    expect(explained.stdout).toMatch(/^\* environment .* PALISADE_SERVER$/m);
  });

  it('that does not know a token says where that came from, and never what it is', {
    timeout: 180_000,
  }, async () => {
    const { home, env, url, token } = await newcomer();
    const wrong = `${token.slice(0, -4)}xxxx`;
    const mistyped = await palisade(home, ['status'], { ...env, PALISADE_TOKEN: wrong });
    expect(mistyped.code).toBe(3);
    expect(mistyped.stderr).toContain(`failed: ${url} does not accept the token from PALISADE_TOKEN`);
    expect(mistyped.stderr).not.toMatch(/Authorization|Bearer/);
    writeFileSync(join(home, 'token'), wrong);
    const refused = await palisade(home, ['login', url, '--file', 'token'], env);
    expect(refused.stderr).toContain(`failed: ${url} does not accept the token from token`);
    for (const { stdout, stderr } of [mistyped, refused]) expect(stdout + stderr).not.toContain(wrong);
  });
});

it('a server says what comes next: a person while there is none, then credentials and where they are kept', {
  timeout: 180_000,
}, async () => {
  const { root, env } = place();
  const hints = async (): Promise<string[]> => {
    const child = spawn(process.execPath, [CLI, 'serve', '--listen', '127.0.0.1:0'], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const exit = new Promise((resolve) => child.once('close', resolve));
    await until('both hints', async () => stderr.split('next: ').length === 3);
    child.kill('SIGTERM');
    await exit;
    return [...stderr.matchAll(/^next: (.*)$/gm)].map(([, command = '']) => command);
  };
  expect(await hints()).toEqual(['pal init-admin --username NAME', 'pal principal create NAME']);
  const created = await palisade(root, ['principal', 'create', 'helper'], env);
  expect(created.stderr).toMatch(/^next: pal login SERVER$/m);
  const made = await palisade(
    root,
    ['init-admin', '--username', 'ada', '--password-stdin'],
    env,
    'correct horse battery\n',
  );
  expect(made, made.stderr).toMatchObject({ code: 0 });
  expect(await hints()).toEqual([
    'pal principal create NAME',
    expect.stringMatching(/^pal login http:\/\/127\.0\.0\.1:\d+$/),
  ]);
});
