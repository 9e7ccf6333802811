import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cuttingHttpProxy } from '../support/cutting-http-proxy.ts';
import { CLI, palisade, until } from '../support/installation.ts';
import { place } from '../support/place.ts';
import { served } from '../support/served.ts';

const canMount =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs -o size=1m none /mnt']).status === 0;

/** A served control plane behind a proxy that cuts answers, and a user elsewhere who has a credential for it. */
async function user() {
  const { root, home, env: own } = place();
  const server = await served(root, own);
  const scopes = ['read', 'write', 'provision'].flatMap((scope) => ['--scope', scope]);
  const issued = await palisade(
    root,
    ['principal', 'create', 'ci', '--kind', 'service', '--json', ...scopes],
    own,
  );
  expect(issued, issued.stdout).toMatchObject({ code: 0 });
  const { token } = JSON.parse(issued.stdout) as { token: string };
  writeFileSync(join(home, 'token'), token);
  writeFileSync(
    join(home, 'plan.json'),
    '{"items":[{"id":"a","executor":"approval","approval":{"prompt":"?"}}]}',
  );
  const proxy = await cuttingHttpProxy(server.url);
  const env = {
    ...own,
    XDG_STATE_HOME: join(home, 'state'),
    PALISADE_SERVER: proxy.url,
    // Nothing is asked before a change is sent.
    PALISADE_PROJECT: 'default',
  };
  const pal = (...args: string[]) => palisade(home, args, env);
  expect(await pal('login', proxy.url, '--file', join(home, 'token'))).toMatchObject({ code: 0 });
  const runs = async (): Promise<number> =>
    (JSON.parse((await pal('status', '--json')).stdout) as { data: object[] }).data.length;
  return { home, env, proxy, pal, runs, token };
}

describe('a change over a server', () => {
  it('AO-039 AO-040: whose answer is cut after the commit and whose sender is killed is made once, and answered when it is sent again', {
    timeout: 180_000,
  }, async () => {
    const { home, env, proxy, pal, runs, token } = await user();
    proxy.state.cuts = true;
    const child = spawn(process.execPath, [CLI, 'run', 'plan.json', '--detach'], {
      cwd: home,
      env: { ...process.env, ...env },
      stdio: 'ignore',
    });
    const exit = new Promise((resolve) => child.once('close', resolve));
    await until('the answer to be cut', async () =>
      proxy.cut.some((line) => line === 'POST /v1/projects/default/runs'),
    );
    child.kill('SIGKILL');
    await exit;
    proxy.state.cuts = false;
    expect(await runs()).toBe(1);
    const blocked = await pal('run', 'plan.json', '--detach');
    expect(blocked.code).toBe(5);
    expect(blocked.stderr).toContain('it is not known yet what became of plans.submit');
    expect(blocked.stderr).toMatch(/^ {2}next {2}pal retry$/m);
    const elsewhere = await pal('queue', 'set', 'slow', '--concurrency', '1', '--session', 'other');
    expect(elsewhere, elsewhere.stderr).toMatchObject({ code: 0 });
    const retried = await pal('retry', '--json');
    expect(retried, retried.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(retried.stdout)).toMatchObject({ run_id: expect.stringMatching(/^run_/) });
    expect(await runs()).toBe(1);
    expect(await pal('retry')).toMatchObject({ code: 0, stdout: 'nothing is pending\n' });
    expect((await pal('run', 'plan.json', '--detach')).code).toBe(0);
    expect(await runs()).toBe(2);
    expect(spawnSync('grep', ['-r', token, join(home, 'state')]).status).toBe(1);
  });

  it('AO-033: commands of one session at once are all answered, each change once', {
    timeout: 180_000,
  }, async () => {
    const { pal, runs } = await user();
    const all = await Promise.all(Array.from({ length: 5 }, () => pal('run', 'plan.json', '--detach')));
    for (const one of all) expect(one, one.stderr).toMatchObject({ code: 0 });
    expect(await runs()).toBe(5);
  });

  const why = canMount ? '' : ' (skipped: this user may not mount a file system in a namespace of its own)';
  it.skipIf(!canMount)(
    `AO-039: that cannot be written down, because the disk is full, is not sent${why}`,
    {
      timeout: 180_000,
    },
    async () => {
      const { home, env, pal, runs } = await user();
      const pending = join(home, 'state/palisade/pending');
      mkdirSync(pending, { recursive: true, mode: 0o700 });
      const script = `mount -t tmpfs -o size=64k,nr_inodes=64,mode=700 none '${pending}' && { cat /dev/zero > '${pending}/filler' 2>/dev/null; '${process.execPath}' '${CLI}' run plan.json --detach --json; }`;
      const full = spawnSync('unshare', ['-m', 'sh', '-c', script], {
        cwd: home,
        env: { ...process.env, ...env },
        encoding: 'utf8',
      });
      expect(full.status, full.stderr).toBe(7);
      expect(JSON.parse(full.stdout)).toMatchObject({
        error: { code: 'storage_full' },
      });
      expect(await runs()).toBe(0);
      expect((await pal('run', 'plan.json', '--detach')).code).toBe(0);
    },
  );

  it('AO-044: any operation is called by its id as it is in process, and a stream is printed frame by frame', {
    timeout: 180_000,
  }, async () => {
    const { home, pal } = await user();
    writeFileSync(join(home, 'quick.json'), '{"items":[{"id":"a","command":"true"}]}');
    const done = await pal('run', 'quick.json', '--json=run.id');
    expect(done, done.stderr).toMatchObject({ code: 0 });
    const [run = ''] = (await pal('status', '--format', 'id')).stdout.trim().split('\n');
    const whole = await pal('api', 'runs.get', `run=${run}`);
    expect(JSON.parse(whole.stdout)).toMatchObject({ run: { id: run, state: 'completed' } });
    const listed = await pal('api', 'runs.list', 'limit=1', 'state=completed', '--format', 'id');
    expect(listed.stdout).toBe(`${run}\n`);
    const stream = await pal('api', 'events.subscribe', `run=${run}`);
    const frames = stream.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { seq: number });
    expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, n) => n));
    expect(frames.length).toBeGreaterThan(3);
  });
});
