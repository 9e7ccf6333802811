import {
  createPrincipal,
  getClock,
  issueCredential,
  listCredentials,
  reconcileClock,
  revokeCredential,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { identityRig } from '../../test/identity-rig.ts';

const HOUR = 3_600_000;
const required = { code: 'clock_reconciliation_required' };

eachDatabase('the clock of an installation', (open) => {
  it('AC-275, AO-201: while it is not trusted nothing is granted, what was granted can be taken away, and reads go on', async () => {
    const rig = await identityRig((options) => open({ ...options, pausesOnRollback: true }));
    const { call, room, clock } = rig;
    await rig.admin();
    const made = await call(createPrincipal, { name: 'ci', kind: 'agent' });
    const spare = await call(issueCredential, { principal: made.principal.id, name: 'spare' });
    const { cookie } = await rig.signIn('ada');
    expect(await call(getClock, {})).toEqual({ status: 'trusted', rollback_threshold_ms: 5_000 });

    clock.skew = -HOUR;
    await expect(rig.signIn('ada')).rejects.toMatchObject(required);
    await expect(
      call(issueCredential, { principal: made.principal.id, name: 'another' }),
    ).rejects.toMatchObject(required);
    expect(await call(getClock, {})).toMatchObject({ status: 'clock_reconciliation' });
    expect((await call(listCredentials, {})).data).toHaveLength(2);
    expect(await room.authenticate(made.token ?? '')).toMatchObject({ actor: 'agent:ci' });
    expect(await call(revokeCredential, { credential: spare.credential.id })).toMatchObject({
      revoked_at: expect.any(Number),
    });
    expect(await room.authenticate(spare.token ?? '')).toBeNull();
    await room.logout(cookie.value);
    expect(await room.me(cookie.value)).toBeNull();
  });

  it('AC-275: what was given for a time runs out during a pause as well, also for a process that was started in it', async () => {
    const paused: typeof open = Object.assign(
      (options: Parameters<typeof open>[0] = {}) => open({ ...options, pausesOnRollback: true }),
      { url: () => open.url() },
    );
    const rig = await identityRig(paused);
    const { call, room, clock } = rig;
    await rig.admin();
    const { principal, token: lasting = '' } = await call(createPrincipal, { name: 'ci', kind: 'agent' });
    const short = { principal: principal.id, name: 'short', expires_in_ms: 120_000 };
    const { token = '' } = await call(issueCredential, short);
    const { cookie } = await rig.signIn('ada');

    clock.skew = -48 * HOUR;
    await expect(rig.signIn('ada')).rejects.toMatchObject(required);
    expect(await room.authenticate(token)).not.toBeNull();
    clock.skew += 120_000;
    const later = await identityRig(paused);
    later.clock.skew = clock.skew;
    for (const { room: each } of [rig, later]) {
      expect(await each.authenticate(token)).toBeNull();
      expect(await each.authenticate(lasting)).not.toBeNull();
      expect(await each.authenticateSession(cookie.value)).not.toBeNull();
    }
    clock.skew += 12 * HOUR;
    expect(await room.authenticateSession(cookie.value)).toBeNull();
    expect(await room.authenticate(lasting)).not.toBeNull();
  });

  it('AO-178: only on the host is time kept ahead, and then it is told by how much', async () => {
    const rig = await identityRig((options) => open({ ...options, pausesOnRollback: true }));
    const { call, room, clock, callerWith } = rig;
    await rig.admin();
    const scopes = ['read', 'write', 'system'] as const;
    const made = await call(createPrincipal, { name: 'ops', kind: 'service', scopes: [...scopes] });
    clock.skew = -40 * 24 * HOUR;
    await expect(rig.signIn('ada')).rejects.toMatchObject(required);
    const { incident } = await call(getClock, {});
    const input = { incident_id: incident?.id ?? '', reason: 'it was ahead', keep_ahead: true };
    await expect(call(reconcileClock, input, await callerWith(made.token))).rejects.toMatchObject({
      code: 'operation_not_permitted',
    });
    expect(await call(reconcileClock, { ...input, dry_run: true })).toMatchObject({ status: 'trusted' });
    expect(await call(getClock, {})).toMatchObject({ status: 'clock_reconciliation' });
    const answer = await call(reconcileClock, input);
    expect(answer).toMatchObject({ status: 'trusted', ahead_ms: 42 * 24 * HOUR });
    expect(await call(getClock, {})).toEqual(answer);
    const { cookie } = await rig.signIn('ada');
    expect(await room.authenticateSession(cookie.value)).not.toBeNull();
  });

  it('AO-202: it is trusted again when somebody says so with a reason, once it is right; that is recorded and may be repeated', async () => {
    const rig = await identityRig((options) => open({ ...options, pausesOnRollback: true }));
    const { call, clock } = rig;
    await rig.admin();
    clock.skew = -HOUR;
    await expect(rig.signIn('ada')).rejects.toMatchObject(required);
    const { incident } = await call(getClock, {});
    const input = { incident_id: incident?.id ?? '', reason: 'the battery was changed' };
    await expect(call(reconcileClock, input)).rejects.toMatchObject({ code: 'clock_still_untrusted' });
    clock.skew = 1_000;
    await expect(rig.signIn('ada')).rejects.toMatchObject(required);
    const keyed = { idempotencyKey: 'once' };
    const answer = await call(reconcileClock, input, undefined, keyed);
    expect(answer).toMatchObject({
      status: 'trusted',
      incident: { recovered_by: 'system:host', recovery_reason: input.reason },
    });
    expect(await call(reconcileClock, input, undefined, keyed)).toEqual(answer);
    await rig.signIn('ada');
    expect(await rig.audit()).toContainEqual({
      action: 'clock.reconciled',
      target: input.incident_id,
      outcome: 'done',
      actor: 'system:host',
    });
  });
});
