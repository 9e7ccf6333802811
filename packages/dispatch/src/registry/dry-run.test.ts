import { readdirSync } from 'node:fs';
import {
  listAgents,
  listCapabilities,
  listEnvironments,
  listModelEndpoints,
  listSecrets,
  putSecret,
  registerAgent,
  registerCapability,
  registerEnvironment,
  registerModelEndpoint,
  removeEnvironment,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { openRegistry } from '../../test/open-registry.ts';

const files = [{ path: 'SKILL.md', base64: Buffer.from('one').toString('base64') }];
const agent = { name: 'a', run: { harness: 'command' as const, command: 'true' } };
const env = { name: 'e', values: { MODE: 'x' }, secrets: { TOKEN: { inline: 'hush' } } };
const secret = { name: 's', value: 'hush' };

eachDatabase('a dry run of a registration', (open) => {
  it('answers what the real one then answers, and leaves nothing behind', async () => {
    const { caller, blobDirectory } = await openRegistry(open);
    const rehearsed = [
      await caller.call(registerCapability, { name: 'c', files, dry_run: true }),
      await caller.call(registerAgent, { ...agent, dry_run: true }),
      await caller.call(registerEnvironment, { ...env, dry_run: true }),
    ];
    const version = await caller.call(putSecret, { ...secret, dry_run: true });
    for (const list of [listCapabilities, listAgents, listEnvironments])
      expect((await caller.call(list, {})).data).toEqual([]);
    expect((await caller.call(listSecrets, {})).data).toEqual([]);
    expect(
      readdirSync(blobDirectory, { recursive: true, withFileTypes: true }).filter((f) => f.isFile()),
    ).toEqual([]);

    expect([
      await caller.call(registerCapability, { name: 'c', files }),
      await caller.call(registerAgent, agent),
      await caller.call(registerEnvironment, env),
    ]).toEqual(rehearsed);
    const { created_at: _, ...put } = await caller.call(putSecret, secret);
    expect(version).toMatchObject(put);
    expect(await caller.call(registerAgent, { ...agent, dry_run: true })).toMatchObject({
      created: false,
      revision: 1,
    });
    expect(await caller.call(putSecret, { name: 's', value: 'other', dry_run: true })).toMatchObject({
      version: 2,
    });
  });

  it('of a model endpoint names its address and keeps nothing', async () => {
    const { caller } = await openRegistry(open);
    await caller.call(putSecret, { name: 'k', value: 'hush' });
    const endpoint = { name: 'm', kind: 'openai' as const, url: 'https://m.example', secret: 'secret:k' };
    const rehearsed = await caller.call(registerModelEndpoint, { ...endpoint, dry_run: true });
    expect((await caller.call(listModelEndpoints, {})).data).toEqual([]);
    expect(await caller.call(registerModelEndpoint, endpoint)).toEqual(rehearsed);
  });

  it('of taking an environment away says whether there is one, and leaves it', async () => {
    const { caller } = await openRegistry(open);
    const rehearse = () => caller.call(removeEnvironment, { name: 'e', dry_run: true });
    expect(await rehearse()).toEqual({ name: 'e', removed: false });
    await caller.call(registerEnvironment, env);
    expect(await rehearse()).toEqual({ name: 'e', removed: true });
    expect(await caller.call(removeEnvironment, { name: 'e' })).toEqual({ name: 'e', removed: true });
  });

  it('is refused like the real one', async () => {
    const { caller } = await openRegistry(open);
    const call = caller.call(registerAgent, { ...agent, capabilities: ['none'], dry_run: true });
    await expect(call).rejects.toMatchObject({ code: 'not_found' });
  });
});
