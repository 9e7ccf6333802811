import {
  canonicalHash,
  getModelEndpoint,
  listModelEndpoints,
  putSecret,
  registerModelEndpoint,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { openRegistry } from '../../../test/open-registry.ts';

const INPUT = {
  name: 'house',
  kind: 'anthropic',
  url: 'https://models.example/v1',
  secret: 'secret:model-key',
} as const;

eachDatabase('model endpoints', (open) => {
  const openWithKey = async () => {
    const room = await openRegistry(open);
    await room.caller.call(putSecret, { name: 'model-key', value: 'the credential of the house' });
    return room;
  };

  it('DI-040: the definition is stored by content, without the credential, and later ones leave it as it was', async () => {
    const { caller, registry, blobs } = await openWithKey();
    const first = await caller.call(registerModelEndpoint, INPUT);
    expect(first).toMatchObject({ name: 'house', revision: 1, created: true });
    const { definition, hash } = await registry.resolveModelEndpoint('house');
    expect(definition).toEqual({ schema_version: 1, ...INPUT, credential: 'api-key' });
    expect([canonicalHash(definition), hash]).toEqual([first.hash, first.hash]);
    expect((await blobs.get(hash)).toString()).not.toContain('credential of the house');

    expect(await caller.call(registerModelEndpoint, INPUT)).toMatchObject({ revision: 1, created: false });
    const moved = { ...INPUT, url: 'http://10.0.0.4:8000', models: { fast: 'small-1' }, private: true };
    expect(await caller.call(registerModelEndpoint, moved)).toMatchObject({ revision: 2, created: true });
    expect((await registry.resolveModelEndpoint('house')).definition.url).toBe('http://10.0.0.4:8000');
    expect((await registry.resolveModelEndpoint(first.hash)).definition.url).toBe(INPUT.url);
    await expect(registry.resolveModelEndpoint('none')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('DI-049: what is shown says where prompts go, and neither the secret nor its reference', async () => {
    const { caller } = await openWithKey();
    await caller.call(registerModelEndpoint, { ...INPUT, default_model: 'fast' });
    const shown = await caller.call(getModelEndpoint, { name: 'house' });
    expect(shown.endpoint).toEqual({
      name: 'house',
      kind: 'anthropic',
      url: INPUT.url,
      credential: 'api-key',
      default_model: 'fast',
    });
    expect(shown.revisions).toHaveLength(1);
    expect((await caller.call(listModelEndpoints, {})).data).toMatchObject([{ name: 'house', revision: 1 }]);
    expect(JSON.stringify([shown, await caller.call(listModelEndpoints, {})])).not.toContain('model-key');
    expect(await caller.call(getModelEndpoint, { name: 'none' })).toEqual({
      row: null,
      revisions: [],
      endpoint: null,
    });
  });

  it('DI-047: its credential is resolved at the moment of use, so a rotation counts at once', async () => {
    const { caller, registry } = await openWithKey();
    await caller.call(registerModelEndpoint, INPUT);
    const { definition } = await registry.resolveModelEndpoint('house');
    expect(await registry.modelCredential(definition)).toBe('the credential of the house');
    await caller.call(putSecret, { name: 'model-key', value: 'its next credential' });
    expect(await registry.modelCredential(definition)).toBe('its next credential');
  });

  it('DI-048: an unknown secret, a value in place of a reference, and a key in the address are refused', async () => {
    const { caller, database } = await openWithKey();
    const key = ['sk-', 'ant-', 'abcdefghijklmnopqrstuvwx'].join('');
    const cases: [object, string][] = [
      [{ secret: 'secret:none' }, 'secret_missing'],
      [{ secret: key }, 'invalid_input'],
      [{ url: `https://models.example/${key}` }, 'credential_in_text'],
      [{ url: `https://:${key}@models.example` }, 'invalid_input'],
    ];
    for (const [change, code] of cases) {
      const refused = caller.call(registerModelEndpoint, { ...INPUT, ...change });
      await expect(refused, JSON.stringify(change)).rejects.toMatchObject({ code });
      await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining(key) });
    }
    const rows = await database.read((tx) =>
      tx.sql.all("SELECT * FROM kernel_revisions WHERE kind = 'model-endpoint'"),
    );
    expect(rows).toEqual([]);
  });
});
