import { readdirSync } from 'node:fs';
import {
  type DeployChange,
  type DeployEntry,
  deploy,
  getAgent,
  getCapability,
  getQueue,
  isPalisadeError,
  listAgents,
  listCapabilities,
  listEnvironments,
  listModelEndpoints,
  listSecrets,
  listStaleAgents,
  PalisadeError,
  putSecret,
  rebindAgent,
  registerAgent,
  removeAgent,
  removeCapability,
  setQueue,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { describe, expect, it } from 'vitest';
import { openRegistry } from '../../test/open-registry.ts';

const JWT = ['ey', 'JhbGciOiJIUzI1NiJ9.ey', 'JzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N'].join('');
const file = (path: string, text: string) => ({ path, base64: Buffer.from(text).toString('base64') });
const capability = (name: string, text: string): DeployEntry => ({
  kind: 'capability',
  input: { name, files: [file('SKILL.md', text), file('more.md', 'same')] },
});
const agent = (name: string, more: object = {}): DeployEntry => ({
  kind: 'agent',
  input: { name, run: { harness: 'command', command: 'make' }, ...more },
});
const env = (name: string, more: object = {}): DeployEntry => ({ kind: 'env', input: { name, ...more } });
const endpoint: DeployEntry = {
  kind: 'model-endpoint',
  input: { name: 'main', kind: 'openai', url: 'https://m.example', secret: 'secret:k' },
};
const queue = (concurrency: number): DeployEntry => ({ kind: 'queue', input: { name: 'docs', concurrency } });

/** Agents first, so that the order of the answer is not that of the question. */
const everything = (): DeployEntry[] => [
  queue(2),
  agent('writer', { capabilities: ['style'], model: 'fast' }),
  env('ci', { values: { MODE: 'one' }, secrets: { TOKEN: { inline: 'hush' }, OTHER: { ref: 'secret:k' } } }),
  endpoint,
  capability('style', 'one'),
];
const told = (data: readonly DeployChange[]) =>
  data.map(({ kind, name, action, outcome, changed = [] }) =>
    [kind, name, action, outcome, ...changed].join(' '),
  );

eachDatabase('deployments', (open) => {
  const opened = async (options: Parameters<typeof openRegistry>[1] = {}) => {
    const room = await openRegistry(open, options);
    await room.caller.call(putSecret, { name: 'k', value: 'key' });
    return {
      ...room,
      deploy: (entries: DeployEntry[], more: object = {}, key?: string) =>
        room.caller.call(
          deploy,
          { name: 'docs', entries, ...more },
          key === undefined ? {} : { idempotencyKey: key },
        ),
    };
  };

  it('DI-050: everything is set in the order of what needs what, and a second time nothing is', async () => {
    const { caller, deploy, registry } = await opened();
    const planned = await deploy(everything(), { dry_run: true });
    expect(planned).toMatchObject({ name: 'docs', dry_run: true, complete: true });
    expect(told(planned.data)).toEqual([
      'capability style create planned',
      'model-endpoint main create planned',
      'env ci create planned',
      'agent writer create planned',
      'queue docs create planned',
    ]);
    for (const list of [listAgents, listCapabilities, listEnvironments, listModelEndpoints])
      expect((await caller.call(list, {})).data).toEqual([]);
    expect((await caller.call(listSecrets, {})).data.map(({ name }) => name)).toEqual(['k']);

    const first = await deploy(everything());
    expect(first.data).toEqual(planned.data.map((change) => ({ ...change, outcome: 'done' })));
    const style = await registry.resolveCapability('style');
    const { definition, hash } = await registry.resolveAgent('writer');
    expect(definition.capabilities).toEqual([style]);
    expect(first.data[3]?.after).toBe(hash);
    expect((await caller.call(getQueue, { name: 'docs' })).queue.concurrency).toBe(2);

    const second = await deploy(everything());
    expect(new Set(second.data.map(({ action }) => action))).toEqual(new Set(['unchanged']));
    expect((await caller.call(getAgent, { name: 'writer' })).revisions).toHaveLength(1);
  });

  it('DI-050: what changed is told by the names of fields, variables and files, never by values', async () => {
    const { deploy } = await opened();
    await deploy(everything());
    const changed = [
      queue(3),
      agent('writer', { capabilities: ['style'], run: { harness: 'command', command: 'sesame' } }),
      env('ci', { values: { MODE: 'sesame', NEW: '' }, secrets: { TOKEN: { inline: 'sesame' } } }),
      endpoint,
      capability('style', 'sesame'),
    ];
    const planned = await deploy(changed, { dry_run: true });
    expect(told(planned.data)).toEqual([
      'capability style update planned SKILL.md',
      'model-endpoint main unchanged planned',
      'env ci update planned secrets.OTHER secrets.TOKEN values.MODE values.NEW',
      'agent writer update planned capabilities model run.command',
      'queue docs update planned concurrency',
    ]);
    expect(JSON.stringify(planned)).not.toContain('sesame');
    expect((await deploy(changed)).data.map(({ after }) => after)).toEqual(
      planned.data.map(({ after }) => after),
    );
  });

  it('DI-050: every problem is told at once with its place, and nothing is changed', async () => {
    const { caller, deploy, blobDirectory } = await opened();
    const wrong = [
      agent('a', { capabilities: ['none'] }),
      agent('b', { system_prompt: `use ${JWT}`, capabilities: ['broken'] }),
      env('e', { values: { MODE: JWT }, secrets: { A: { ref: 'secret:none' }, B: { ref: 'secret:no' } } }),
      { kind: 'capability' as const, input: { name: 'broken', files: [file('../x', 'x')] } },
      capability('fine', 'x'),
      capability('fine', 'y'),
    ];
    const error = await deploy(wrong).catch((thrown: unknown) => thrown);
    if (!isPalisadeError(error)) throw error;
    expect(error.code).toBe('invalid_input');
    expect(error.issues.map(({ path }) => path).toSorted()).toEqual([
      'entries[0].input.capabilities',
      'entries[1].input.system_prompt',
      'entries[2].input.secrets.A',
      'entries[2].input.secrets.B',
      'entries[2].input.values.MODE',
      'entries[3].input',
      'entries[5].input.name',
    ]);
    expect(JSON.stringify(error.issues)).not.toContain(JWT.slice(0, 12));
    for (const list of [listAgents, listCapabilities, listEnvironments])
      expect((await caller.call(list, {})).data).toEqual([]);
    const files = readdirSync(blobDirectory, { recursive: true, withFileTypes: true });
    expect(files.filter((entry) => entry.isFile())).toEqual([]);
    await expect(deploy([agent('a', { capabilities: ['none'] })])).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('DI-050: it stops at the first failure, tells what was and was not done, and is gone on with', async () => {
    let isBroken = false;
    const { caller, deploy } = await opened({
      throughBlobs: (store) => ({
        ...store,
        put: (bytes, options) => {
          if (isBroken && Buffer.from(bytes).includes('"MODE"'))
            throw new PalisadeError('storage_full', 'no space left on the device');
          return store.put(bytes, options);
        },
      }),
    });
    isBroken = true;
    const stopped = await deploy(everything(), {}, 'key');
    expect(stopped.complete).toBe(false);
    expect(told(stopped.data)).toEqual([
      'capability style create done',
      'model-endpoint main create done',
      'env ci create failed',
      'agent writer create not_reached',
      'queue docs create not_reached',
    ]);
    expect(stopped.data[2]?.error).toMatchObject({ code: 'storage_full' });
    expect((await caller.call(listAgents, {})).data).toEqual([]);
    isBroken = false;
    expect(told((await deploy(everything(), {}, 'key')).data)).toEqual([
      'capability style unchanged done',
      'model-endpoint main unchanged done',
      'env ci create done',
      'agent writer create done',
      'queue docs create done',
    ]);
  });

  it('DI-050: the same call again gets the first answer, and cannot roll a name back', async () => {
    const { caller, deploy } = await opened();
    const first = await deploy([agent('a', { model: 'old' })], {}, 'key');
    await deploy([agent('a', { model: 'new' })]);
    expect(await deploy([agent('a', { model: 'old' })], {}, 'key')).toEqual(first);
    expect((await caller.call(getAgent, { name: 'a' })).revisions).toHaveLength(2);
    await expect(deploy([agent('a', { model: 'other' })], {}, 'key')).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    });
  });

  describe('pruning', () => {
    it('DI-050: removes what earlier deployments of the name made, and nothing else', async () => {
      const { caller, deploy } = await opened();
      await caller.call(registerAgent, { name: 'by-hand', run: { harness: 'command', command: 'make' } });
      await caller.call(setQueue, { name: 'mine', concurrency: 1 });
      await deploy([agent('of-others')], { name: 'other' });
      await deploy([...everything(), agent('by-hand')]);
      const less = [env('ci', { values: { MODE: 'one' } })];
      expect(told((await deploy(less)).data)).toEqual([
        'env ci update done secrets.OTHER secrets.TOKEN',
        'agent writer keep done',
        'model-endpoint main keep done',
        'capability style keep done',
      ]);
      const planned = await deploy(less, { prune: true, dry_run: true });
      const removed = ['agent writer remove', 'model-endpoint main remove', 'capability style remove'];
      expect(told(planned.data)).toEqual(['env ci unchanged', ...removed].map((text) => `${text} planned`));
      // Only what was shown to somebody goes.
      const one = await deploy(less, { prune: [{ kind: 'agent', name: 'writer' }] });
      expect(one.data.map(({ action }) => action)).toEqual(['unchanged', 'remove', 'keep', 'keep']);
      expect(told((await deploy(less, { prune: true })).data)).toEqual([
        'env ci unchanged done',
        'model-endpoint main remove done',
        'capability style remove done',
      ]);
      expect((await caller.call(listAgents, {})).data.map(({ name }) => name)).toEqual([
        'by-hand',
        'of-others',
      ]);
      expect((await caller.call(listCapabilities, {})).data).toEqual([]);
      expect((await deploy(less, { prune: true })).data).toHaveLength(1);
    });

    it('DI-050: a name that was removed and made by hand since is not the deployment’s any more', async () => {
      const { caller, deploy } = await opened();
      await deploy([agent('a')]);
      await caller.call(removeAgent, { name: 'a' });
      await caller.call(registerAgent, { name: 'a', run: { harness: 'command', command: 'x' } });
      expect((await deploy([], { prune: true })).data).toEqual([]);
      expect((await caller.call(listAgents, {})).data).toHaveLength(1);
    });

    it('DI-050: a name of another deployment is changed only by taking it over, and pruned by its new owner', async () => {
      const { deploy } = await opened();
      await deploy([agent('a')]);
      await deploy([agent('a')], { name: 'other' });
      const change = [agent('a', { model: 'm' })];
      await expect(deploy(change, { name: 'other' })).rejects.toMatchObject({
        code: 'already_exists',
        issues: [{ path: 'entries[0].input.name' }],
      });
      await deploy(change, { name: 'other', adopt: true });
      expect((await deploy([], { prune: true })).data).toEqual([]);
      expect(told((await deploy([], { name: 'other', prune: true })).data)).toEqual(['agent a remove done']);
    });

    it('DI-051: a name that somebody registered is not changed by a deployment that is only called the same', async () => {
      const { caller, deploy, registry } = await opened();
      const run = { harness: 'claude-code' as const, permission: 'plan' as const };
      await caller.call(registerAgent, { name: 'reviewer', run });
      const other = agent('reviewer');
      await expect(deploy([other])).rejects.toMatchObject({ code: 'already_exists' });
      expect((await registry.resolveAgent('reviewer')).definition.run).toEqual(run);
      await deploy([other], { adopt: true });
      expect(told((await deploy([], { prune: true })).data)).toEqual(['agent reviewer remove done']);
    });

    it('DI-050: without a name nothing is owned, and pruning is refused', async () => {
      const { caller } = await openRegistry(open);
      await caller.call(deploy, { entries: [agent('a')] });
      await expect(caller.call(deploy, { entries: [], prune: true })).rejects.toMatchObject({
        code: 'invalid_input',
      });
    });
  });

  it('DI-040: a removed name means nothing, its content stays by address, and it can be registered again', async () => {
    const { caller, deploy, registry } = await opened();
    await deploy([capability('style', 'one'), agent('writer', { capabilities: ['style'] })]);
    const { hash } = await registry.resolveAgent('writer');
    const style = await registry.resolveCapability('style');
    expect(await caller.call(removeAgent, { name: 'writer', dry_run: true })).toMatchObject({
      removed: true,
    });
    expect(await caller.call(removeAgent, { name: 'writer' })).toEqual({ name: 'writer', removed: true });
    expect(await caller.call(removeCapability, { name: 'style' })).toMatchObject({ removed: true });
    expect(await caller.call(removeAgent, { name: 'writer' })).toMatchObject({ removed: false });
    await expect(registry.resolveAgent('writer')).rejects.toMatchObject({ code: 'not_found' });
    expect((await registry.resolveAgent(hash)).definition.capabilities).toEqual([style]);
    expect(await registry.resolveCapability(style.hash)).toEqual(style);
    expect((await caller.call(getCapability, { name: 'style' })).row).toBeNull();
    await deploy([capability('style', 'one')]);
    expect((await caller.call(getCapability, { name: 'style' })).row).toMatchObject({ revision: 2 });
  });

  it('DI-044: agents bound to older content are told, and bound anew on request, as rehearsed', async () => {
    const { caller, deploy, registry } = await opened();
    const both = agent('writer', { capabilities: ['style', 'law'] });
    await deploy([capability('style', 'one'), capability('law', 'one'), both]);
    const law = await registry.resolveCapability('law');
    await deploy([capability('style', 'two')]);
    await caller.call(removeCapability, { name: 'law' });
    const { data } = await caller.call(listStaleAgents, {});
    expect(data).toMatchObject([{ agent: 'writer', capability: 'style' }]);
    const rehearsed = await caller.call(rebindAgent, { name: 'writer', dry_run: true });
    expect(await caller.call(listStaleAgents, {})).toEqual({ data });
    expect(await caller.call(rebindAgent, { name: 'writer' })).toEqual(rehearsed);
    // A capability whose name means nothing any more stays as it is.
    const { definition } = await registry.resolveAgent('writer');
    expect(definition.capabilities).toEqual([await registry.resolveCapability('style'), law]);
    expect((await caller.call(listStaleAgents, {})).data).toEqual([]);
  });
});
