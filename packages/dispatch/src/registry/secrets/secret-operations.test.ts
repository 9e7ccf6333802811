import { listSecrets, putSecret, registerEnvironment } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { openRegistry } from '../../../test/open-registry.ts';

eachDatabase('secret operations', (open) => {
  it('EX-200: a secret is put, listed by name and version only, and used by its reference', async () => {
    const { caller, registry } = await openRegistry(open);
    const row = await caller.call(putSecret, { name: 'token', value: 'value-one' });
    expect(row).toEqual({ name: 'token', ref: 'secret:token', version: 1, created_at: row.created_at });
    await caller.call(registerEnvironment, { name: 'e', secrets: { TOKEN: { ref: row.ref } } });
    const second = await caller.call(putSecret, { name: 'token', value: 'value-two', ttl_ms: 60_000 });
    expect(second).toMatchObject({ version: 2, expires_at: second.created_at + 60_000 });
    expect(await caller.call(listSecrets, {})).toEqual({ data: [second] });
    const { definition } = await registry.resolveEnvironment('e');
    expect(await registry.environmentSecrets([definition])).toEqual({ TOKEN: 'value-two' });
  });

  it('a late repeat of a put does not bring the replaced value back', async () => {
    const { caller, secrets } = await openRegistry(open);
    const put = (value: string, idempotencyKey: string) =>
      caller.call(putSecret, { name: 'token', value }, { idempotencyKey });
    const first = await put('old', 'a');
    await put('new', 'b');
    expect(await put('old', 'a')).toEqual(first);
    expect(await secrets.resolve(['secret:token'])).toEqual(['new']);
    await expect(put('other', 'a')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  });

  it('a late repeat of a registration does not bring a replaced secret back', async () => {
    const { caller, secrets } = await openRegistry(open);
    const register = (inline: string, idempotencyKey: string) =>
      caller.call(registerEnvironment, { name: 'e', secrets: { T: { inline } } }, { idempotencyKey });
    const first = await register('old', 'a');
    await register('new', 'b');
    expect(await register('old', 'a')).toEqual(first);
    expect(await secrets.resolve(['secret:env:e:T'])).toEqual(['new']);
  });

  it('a value with a zero byte is refused', async () => {
    const { caller } = await openRegistry(open);
    await expect(caller.call(putSecret, { name: 't', value: 'a\u0000b' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });
});
