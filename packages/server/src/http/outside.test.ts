import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addSchedule, callerOf, extendRun, sendMessage, submitPlan } from '@palisade/contracts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type HttpRig, httpRig } from '../../test/http-rig.ts';

/** A repository with one commit. */
function repository(at: string): string {
  mkdirSync(at, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], { cwd: at });
  git('init', '-q');
  writeFileSync(join(at, 'f.txt'), 'x\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'base');
  return at;
}

const plan = { items: [{ id: 'a', command: 'true' }] };
const submit = (rig: HttpRig, token: string, body: object) =>
  rig.send('POST', '/v1/projects/default/runs', {
    token,
    key: JSON.stringify(body),
    body: { plan, ...body },
  });

describe('what callers from outside may wish for', () => {
  it('DI-264: a repository only where the operator serves one, wherever links and .git files lead', async () => {
    const rig = await httpRig();
    const token = rig.token(['read', 'write']);
    const outside = repository(mkdtempSync(join(tmpdir(), 'palisade-outside-')));
    onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
    const own = repository(join(rig.root, 'own'));
    const pointing = join(rig.root, 'pointing');
    mkdirSync(pointing);
    writeFileSync(join(pointing, '.git'), `gitdir: ${outside}/.git\n`);
    const linked = join(rig.root, 'linked');
    symlinkSync(outside, linked);
    const linkedGit = join(rig.root, 'linked-git');
    mkdirSync(linkedGit);
    symlinkSync(join(outside, '.git'), join(linkedGit, '.git'));
    const written = repository(join(rig.root, '.palisade', 'planes', 'x', 'attempts', 'run_x', 'workspace'));
    for (const path of [outside, pointing, linked, linkedGit, written, join(rig.root, 'none'), '/etc'])
      expect(await submit(rig, token, { repository: path }), path).toMatchObject({
        status: 403,
        body: { code: 'policy_denied' },
      });
    expect((await submit(rig, token, { repository: own })).status).toBe(200);
    expect((await submit(rig, token, { repository: own, base: 'HEAD\0x' })).status).toBe(400);
  });

  it('where repositories lie is told to whoever provisions, and to others what they are called', async () => {
    const rig = await httpRig();
    const [token, trusted] = [rig.token(['read', 'write']), rig.token(['read', 'provision'])];
    const own = repository(join(rig.root, 'shop'));
    const submitted = await submit(rig, token, { repository: own });
    expect(submitted.status).toBe(200);
    expect(JSON.stringify(submitted.body)).not.toContain(rig.root);
    await callerOf(rig.composition.operations).call(addSchedule, {
      name: 'nightly',
      cron: '0 0 1 1 *',
      submission: { plan, repository: own, sandbox: 'process' },
    });
    const project = '/v1/projects/default';
    const { run_id: run } = submitted.body as unknown as { run_id: string };
    for (const path of [
      '/runs',
      `/runs/${run}`,
      `/runs/${run}/products`,
      '/schedules',
      '/schedules/nightly',
    ]) {
      const told = JSON.stringify((await rig.send('GET', project + path, { token })).body);
      expect(told, path).toContain('"repository":"shop"');
      expect(told, path).not.toContain(rig.root);
      const whole = JSON.stringify((await rig.send('GET', project + path, { token: trusted })).body);
      expect(whole, path).toContain(`"repository":${JSON.stringify(own)}`);
    }
  });

  it('DI-264: the network only for whoever provisions, also by repeating a run or telling its agent something', async () => {
    const rig = await httpRig();
    const host = callerOf(rig.composition.operations, 'human:ada');
    const items = [{ id: 'a', command: 'true', channel: true, sandbox: { network: true } }];
    const open = { run_id: 'net', plan: { items, open_ended: true }, allow_network: true } as const;
    await host.call(submitPlan, open);
    await host.call(extendRun, { run: 'net', items: [{ id: 'b', command: 'true' }] });
    const token = rig.token(['read', 'write']);
    const refused = { status: 403, body: { code: 'operation_not_permitted' } };
    expect(await submit(rig, token, { allow_network: true })).toMatchObject(refused);
    const path = '/v1/projects/default/runs/net';
    const more = { items: [{ id: 'c', command: 'true' }] };
    expect(await rig.send('POST', `${path}/items`, { token, key: 'e', body: more })).toMatchObject(refused);
    const message = { token, key: 'm', body: { body: 'do this' } };
    expect(await rig.send('POST', `${path}/items/a/messages`, message)).toMatchObject(refused);
    expect((await host.call(sendMessage, { run: 'net', item: 'a', body: 'do that' })).message.seq).toBe(1);
    await rig.composition.database.write((tx) =>
      tx.sql.run("UPDATE runs SET state = 'completed', finished_at = 1 WHERE id = 'net'"),
    );
    expect(await rig.send('POST', `${path}/rerun`, { token, key: 'r', body: {} })).toMatchObject(refused);
  });

  it('addresses of the inside only for whoever rules the installation', async () => {
    const rig = await httpRig();
    const set = (token: string, body: object) =>
      rig.send('PUT', '/v1/projects/default/webhooks/ops', { token, key: JSON.stringify(body), body });
    const inside = {
      url: 'http://127.0.0.1:1/x',
      secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
    };
    const provision = rig.token(['provision']);
    expect((await set(provision, inside)).status).not.toBe(200);
    expect(await set(provision, { ...inside, allow_private: true })).toMatchObject({
      status: 403,
      body: { code: 'operation_not_permitted' },
    });
  });

  it('a plan with very many problems is answered soon and shortly', async () => {
    const rig = await httpRig();
    const token = rig.token(['read']);
    const pad = 'x'.repeat(110);
    const items = Array.from({ length: 3_000 }, (_, i) => ({
      id: `${pad}${i}`,
      command: 'true',
      depends_on: Array.from({ length: 20 }, (__, j) => `${pad}y${j}`),
    }));
    const { status, body } = await rig.send('POST', '/v1/projects/default/plans/validate', {
      token,
      body: { plan: { items } },
    });
    expect(status).toBe(200);
    const { issues } = body as unknown as { issues: { message: string }[] };
    expect(issues).toHaveLength(201);
    expect(issues.at(-1)?.message).toBe('and 59800 more');
  });
});
