import {
  AUDIT_STREAM,
  createPrincipal,
  hideCredential,
  issueCredential,
  listCredentials,
  listPrincipals,
  revokeCredential,
  rotateCredential,
  type Scope,
  setPrincipalAccess,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { describe, expect, it } from 'vitest';
import { identityRig } from '../../test/identity-rig.ts';
import { isToken, newToken } from './token.ts';

eachDatabase('credentials', (open) => {
  const agent = { name: 'ci', kind: 'agent' } as const;

  it('AC-051: an agent is created with a credential whose token is told once and kept as a hash', async () => {
    const { call, room, database } = await identityRig(open);
    const made = await call(createPrincipal, agent);
    expect(made).toMatchObject({
      principal: { name: 'ci', kind: 'agent', enabled: true, revision: 1 },
      credential: { class: 'interactive', scopes: ['read', 'write'], only_project: null, hidden: false },
    });
    expect(made.token).toMatch(/^pal_/);
    expect(await room.authenticate(made.token ?? '')).toEqual({
      actor: 'agent:ci',
      kind: 'agent',
      scopes: new Set(['read', 'write']),
      project: null,
      principal: made.principal.id,
      credential: made.credential.id,
      class: 'interactive',
    });
    const rows = await database.read((tx) => tx.sql.all('SELECT * FROM credentials'));
    expect(JSON.stringify(rows)).not.toContain(made.token);
  });

  it('AC-033: a name is for ever, in whatever case', async () => {
    const { call } = await identityRig(open);
    await call(createPrincipal, agent);
    await expect(call(createPrincipal, { ...agent, name: 'CI' })).rejects.toMatchObject({
      code: 'already_exists',
      next: expect.stringMatching(/pal credential issue.*pal credential rotate/),
    });
  });

  it('AC-030: a repeated call tells who it was, and never the token again', async () => {
    const { call } = await identityRig(open);
    const first = await call(createPrincipal, agent, undefined, { idempotencyKey: 'k' });
    const again = await call(createPrincipal, agent, undefined, { idempotencyKey: 'k', project: 'other' });
    expect(again.credential).toEqual(first.credential);
    expect(again).toMatchObject({ secret_unavailable: true, next: expect.stringContaining('rotate') });
    expect(again.token).toBeUndefined();
    const other = call(createPrincipal, { ...agent, name: 'x' }, undefined, { idempotencyKey: 'k' });
    await expect(other).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    expect((await call(listPrincipals, {})).data).toHaveLength(1);
  });

  it('a dry run tells what it would be, and makes nothing', async () => {
    const { call, audit } = await identityRig(open);
    const rehearsed = await call(createPrincipal, { ...agent, dry_run: true });
    expect(rehearsed).not.toHaveProperty('token');
    expect(rehearsed).not.toHaveProperty('secret_unavailable');
    expect((await call(listPrincipals, {})).data).toEqual([]);
    expect(await audit()).toEqual([]);
  });

  it('AC-053: another credential is as the newest where nothing is said, also when that is revoked', async () => {
    const { call, database } = await identityRig(open);
    const web = "INSERT INTO projects (key, title, policy_revision, created_at) VALUES ('web', 'web', 1, 0)";
    await database.write((tx) => tx.sql.run(web));
    const { principal } = await call(createPrincipal, agent);
    const scopes: Scope[] = ['read'];
    const rights = { class: 'supervised', scopes, only_project: 'web' } as const;
    const second = await call(issueCredential, { principal: principal.id, name: 'second', ...rights });
    await call(revokeCredential, { credential: second.credential.id });
    const third = await call(issueCredential, { principal: principal.id, name: 'third' });
    expect(third.credential).toMatchObject(rights);
    const fourth = await call(issueCredential, {
      principal: principal.id,
      name: 'fourth',
      only_project: null,
    });
    expect(fourth.credential).toMatchObject({ ...rights, only_project: null });
  });

  it('AC-052: rotation puts a new credential with the same rights in the place of a live one', async () => {
    const { call, room, clock } = await identityRig(open);
    const expiresAt = Date.now() + 600_000;
    const made = await call(createPrincipal, { ...agent, scopes: ['read'], expires_in_ms: 600_000 });
    clock.skew = 300_000;
    const input = { credential: made.credential.id, name: 'next' };
    const rotated = await call(rotateCredential, input, undefined, { idempotencyKey: 'r' });
    expect(rotated).toMatchObject({
      principal: { id: made.principal.id },
      credential: { scopes: ['read'], name: 'next' },
      replaced_credential_id: made.credential.id,
      replaced_credential_revoked: true,
    });
    expect(rotated.credential.expires_at).toBeGreaterThan(expiresAt + 200_000);
    expect(await room.authenticate(made.token ?? '')).toBeNull();
    expect(await room.authenticate(rotated.token ?? '')).toMatchObject({ actor: 'agent:ci' });
    const again = await call(rotateCredential, input, undefined, { idempotencyKey: 'r' });
    expect(again).toMatchObject({ credential: { id: rotated.credential.id }, secret_unavailable: true });
    await expect(call(rotateCredential, input)).rejects.toMatchObject({ code: 'invalid_state' });
    const kept = { credential: rotated.credential.id, name: 'beside', revoke_old: false };
    expect(await call(rotateCredential, kept)).toMatchObject({ replaced_credential_revoked: false });
    expect(await room.authenticate(rotated.token ?? '')).not.toBeNull();
  });

  it('AC-051, AO-173: revoking bites at the next call and is idempotent; only what is revoked is hidden', async () => {
    const { call, room, audit } = await identityRig(open);
    const { credential, token } = await call(createPrincipal, agent);
    const id = { credential: credential.id };
    await expect(call(hideCredential, id)).rejects.toMatchObject({ code: 'credential_not_revoked' });
    const revoked = await call(revokeCredential, id);
    expect(await room.authenticate(token ?? '')).toBeNull();
    expect(await call(revokeCredential, id)).toEqual(revoked);
    expect((await call(listCredentials, {})).data).toHaveLength(1);
    expect(await call(hideCredential, id)).toMatchObject({ hidden: true });
    await call(hideCredential, id);
    expect((await call(listCredentials, {})).data).toEqual([]);
    expect((await call(listCredentials, { hidden: true })).data).toMatchObject([{ id: credential.id }]);
    expect((await audit()).map(({ action }) => action)).toEqual([
      'principal.created',
      'credential.revoked',
      'credential.hidden',
    ]);
  });

  it('EX-198: nobody grants what they do not hold, and no agent holds more than read and write', async () => {
    const { call, callerWith, audit } = await identityRig(open);
    await expect(call(createPrincipal, { ...agent, scopes: ['system'] })).rejects.toMatchObject({
      code: 'invalid_input',
      next: 'choose among read, write',
    });
    const service = { name: 'admin-bot', kind: 'service' } as const;
    await expect(
      call(createPrincipal, { ...service, scopes: ['system'], only_project: 'web' }),
    ).rejects.toMatchObject({ code: 'invalid_input' });
    const made = await call(createPrincipal, { ...service, scopes: ['system', 'read'] });
    const issuer = await callerWith(made.token);
    await expect(call(createPrincipal, agent, issuer)).rejects.toMatchObject({
      code: 'operation_not_permitted',
      message: expect.stringContaining('write'),
    });
    const reader = await call(createPrincipal, { ...agent, scopes: ['read'] }, issuer);
    expect(reader.credential.scopes).toEqual(['read']);
    const wider = { principal: reader.principal.id, name: 'wider', scopes: ['read', 'write'] as const };
    await call(issueCredential, { ...wider, scopes: [...wider.scopes] });
    // What the newest one has and the issuer has not is not inherited either.
    await expect(
      call(issueCredential, { principal: reader.principal.id, name: 'same' }, issuer),
    ).rejects.toMatchObject({ code: 'operation_not_permitted' });
    expect((await audit()).at(-1)).toEqual({
      action: 'credential.issued',
      target: reader.principal.id,
      outcome: 'refused',
      actor: 'service:admin-bot',
    });
    const agentCaller = await callerWith(reader.token);
    await expect(call(listCredentials, {}, agentCaller)).rejects.toMatchObject({
      code: 'operation_not_permitted',
    });
  });

  it('AC-056: whoever was revoked while the call was under way changes nothing, and gets no old answer', async () => {
    const { call, callerWith, room, database } = await identityRig(open);
    const made = await call(createPrincipal, {
      name: 'bot',
      kind: 'service',
      scopes: ['system', 'read', 'write'],
    });
    const caller = await callerWith(made.token);
    await call(createPrincipal, agent, caller, { idempotencyKey: 'k' });
    await database.write((tx) => room.recheck(tx, caller));
    await call(revokeCredential, { credential: made.credential.id });
    const refused = { code: 'authentication_required', next: expect.stringContaining('sign in') };
    await expect(call(createPrincipal, { ...agent, name: 'late' }, caller)).rejects.toMatchObject(refused);
    await expect(call(createPrincipal, agent, caller, { idempotencyKey: 'k' })).rejects.toMatchObject(
      refused,
    );
    await expect(call(createPrincipal, { ...agent, dry_run: true }, caller)).rejects.toMatchObject(refused);
    await expect(database.write((tx) => room.recheck(tx, caller))).rejects.toMatchObject(refused);
    expect((await call(listPrincipals, { kind: 'agent' })).data).toHaveLength(1);
  });

  it('AC-056: a disabled principal, an expired credential and a made-up caller do not pass', async () => {
    const { call, callerWith, room, clock, database } = await identityRig(open);
    const made = await call(createPrincipal, { ...agent, expires_in_ms: 100_000 });
    const caller = await callerWith(made.token);
    const passes = () =>
      database
        .write((tx) => room.recheck(tx, caller))
        .then(
          () => true,
          () => false,
        );
    expect(await passes()).toBe(true);
    const access = { principal: made.principal.id, expected_revision: 1, enabled: false };
    expect(await call(setPrincipalAccess, access)).toMatchObject({ enabled: false, revision: 2 });
    expect([await room.authenticate(made.token ?? ''), await passes()]).toEqual([null, false]);
    const issuing = call(issueCredential, { principal: made.principal.id, name: 'more' });
    await expect(issuing).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(call(setPrincipalAccess, { ...access, enabled: true })).rejects.toMatchObject({
      code: 'stale_revision',
    });
    await call(setPrincipalAccess, { ...access, expected_revision: 2, enabled: true });
    expect([(await room.authenticate(made.token ?? ''))?.actor, await passes()]).toEqual(['agent:ci', true]);
    clock.skew = 100_001;
    expect([await room.authenticate(made.token ?? ''), await passes()]).toEqual([null, false]);
    for (const forged of [{ credential: null }, { principal: null }, { principal: `prn_${'0'.repeat(32)}` }])
      await expect(database.write((tx) => room.recheck(tx, { ...caller, ...forged }))).rejects.toMatchObject({
        code: 'authentication_required',
      });
  });

  it('AC-050: when a credential was used is known to the minute', async () => {
    const { call, room, clock } = await identityRig(open);
    const made = await call(createPrincipal, agent);
    const used = async () => (await call(listCredentials, {})).data[0]?.last_used_at;
    expect(await used()).toBeUndefined();
    await room.authenticate(made.token ?? '');
    const first = await used();
    expect(first).toBeTypeOf('number');
    clock.skew = 50_000;
    await room.authenticate(made.token ?? '');
    expect(await used()).toBe(first);
    clock.skew = 61_000;
    await room.authenticate(made.token ?? '');
    expect(await used()).toBeGreaterThanOrEqual((first ?? 0) + 60_000);
  });

  it('EX-214: the record of an action names who, how and what, and the request; nothing else', async () => {
    const { call, callerWith, database } = await identityRig(open);
    const made = await call(createPrincipal, {
      name: 'bot',
      kind: 'service',
      scopes: ['system', 'read', 'write'],
      class: 'supervised',
    });
    const target = await call(createPrincipal, agent, await callerWith(made.token), { requestId: 'req_1' });
    const events = await database.read((tx) => tx.journal.read(AUDIT_STREAM, 0, 10));
    expect(events.map(({ data }) => data)).toEqual([
      {
        actor: 'service:bot',
        principal: made.principal.id,
        credential: made.credential.id,
        class: 'supervised',
        target: target.principal.id,
        outcome: 'done',
        request: 'req_1',
      },
    ]);
  });

  it('lists are pages in the order things came', async () => {
    const { call } = await identityRig(open);
    for (const name of ['a', 'b', 'c']) await call(createPrincipal, { ...agent, name });
    const first = await call(listPrincipals, { limit: 2 });
    expect([first.data.map(({ name }) => name), first.has_more]).toEqual([['a', 'b'], true]);
    const rest = await call(listPrincipals, { limit: 2, cursor: first.next_cursor });
    expect([rest.data.map(({ name }) => name), rest.has_more]).toEqual([['c'], false]);
    const { data } = await call(listCredentials, { limit: 3 });
    expect(data.map(({ principal_name: name }) => name)).toEqual(['a', 'b', 'c']);
  });
});

describe('tokens', () => {
  it('AC-046: are 256 random bits, and what has another shape is none', () => {
    const token = newToken();
    expect(token).toHaveLength(47);
    expect(isToken(token)).toBe(true);
    expect(new Set(Array.from({ length: 100 }, newToken)).size).toBe(100);
    for (const other of [
      '',
      'pal_',
      token.slice(1),
      `${token}A`,
      `${token}\n`,
      ` ${token}`,
      `pal_${'%'.repeat(43)}`,
      null,
      7,
    ])
      expect(isToken(other)).toBe(false);
  });
});
