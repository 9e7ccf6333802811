import {
  addSchedule,
  callerOf,
  createPrincipal,
  getRun,
  getSchedule,
  listAudit,
  listDeliveries,
  resumeSchedule,
  setWebhook,
  submitPlan,
} from '@palisade/contracts';
import { installationKey } from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { httpRig } from '../../test/http-rig.ts';
import { roomMigrations } from '../room-migrations.ts';
import { hostBackups } from './host-backups.ts';
import { invalidate } from './invalidate.ts';

const PASSWORD = 'correct horse battery';
const RESTORATION = { reason: 'the disk died', snapshotId: 'snp_x', snapshotAt: 1 };

eachDatabase('a control plane that goes on from a snapshot', (open) => {
  const rigOf = async () => httpRig(open.url().startsWith('postgres') ? { databaseUrl: open.url() } : {});

  it('AC-277 AO-196: everybody is out, whatever they held, until they are let in again on the host', async () => {
    const { composition } = await rigOf();
    const { identity, database, operations } = composition;
    const host = callerOf(operations);
    const { token = '', credential } = await host.call(createPrincipal, { name: 'ci', kind: 'agent' });
    const ada = await identity.initAdmin({ name: 'ada', password: PASSWORD });
    const signedIn = await identity.login({ name: 'ada', password: PASSWORD });
    const cookie = signedIn.cookie.value;
    expect(await identity.authenticate(token)).not.toBeNull();
    expect(await identity.authenticateSession(cookie)).not.toBeNull();
    await database.write(async (tx) => {
      const { now } = tx;
      await tx.sql.run(
        `INSERT INTO passkeys (id, principal, credential_id, public_key, counter, name, created_at) VALUES ('pky_1', ?, 'c', 'k', 0, 'phone', ?)`,
        [ada.id, now],
      );
      await tx.sql.run(
        `INSERT INTO mail_links (token_hash, principal, purpose, created_at, expires_at) VALUES ('h', ?, 'reset', ?, ?)`,
        [ada.id, now, now + 3_600_000],
      );
      await tx.sql.run(
        `INSERT INTO harness_sessions (id, principal, credential, proof_hash, workstation, harness, capabilities, depth, created_at, last_activity_at)
         VALUES ('hses_1', ?, ?, 'h', 'w', 'h', '[]', 0, ?, ?)`,
        [credential.principal, credential.id, now, now],
      );
    });
    const before = await installationKey(database, 'cursors');

    expect(await invalidate(database, RESTORATION)).toMatchObject({
      credentials_revoked: 1,
      people_disabled: 1,
    });
    expect(await identity.authenticate(token)).toBeNull();
    expect(await identity.authenticateSession(cookie)).toBeNull();
    const refused = { code: 'authentication_required' };
    await expect(identity.login({ name: 'ada', password: PASSWORD })).rejects.toMatchObject(refused);
    const left = await database.read(async (tx) => [
      await tx.sql.all('SELECT id FROM passkeys'),
      await tx.sql.all('SELECT principal FROM mail_links'),
      await tx.sql.all('SELECT id FROM harness_sessions WHERE closed_at IS NULL'),
    ]);
    expect(left).toEqual([[], [], []]);
    expect((await installationKey(database, 'cursors')).equals(before)).toBe(false);
    const [record] = (await host.call(listAudit, { limit: 1 })).data;
    expect(record).toMatchObject({
      action: 'installation.restored',
      actor: 'system:host',
      principal: null,
      target: 'snp_x',
      reason: 'the disk died',
      snapshot_at: 1,
    });
    await identity.recoverPassword({ name: 'ada', password: 'staple of another kind', reason: 'restored' });
    // Its old password is no more good than before.
    await expect(identity.login({ name: 'ada', password: PASSWORD })).rejects.toMatchObject(refused);
    await identity.login({ name: 'ada', password: 'staple of another kind' });
  });

  it('AC-277 AO-196: what had begun is held, what was held is not, and a late holder writes nothing', async () => {
    const { composition } = await rigOf();
    const { database, operations } = composition;
    const host = callerOf(operations);
    const plan = { items: [{ id: 'a', command: 'true' }] };
    await host.call(submitPlan, { run_id: 'open', plan, sandbox: 'process' });
    const submission = { plan, sandbox: 'process' };
    await host.call(addSchedule, { name: 'often', cron: '* * * * *', catch_up: 'all', submission });
    await host.call(setWebhook, {
      name: 'hook',
      url: 'https://hook.example/x',
      secret: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
    });
    const held = await database.write(async (tx) => {
      // The schedule was due for an hour, and a message waits.
      await tx.sql.run('UPDATE schedules SET next_slot = ?, try_at = ?', [
        tx.now - 3_600_000,
        tx.now - 3_600_000,
      ]);
      await tx.sql.run(
        `INSERT INTO webhook_deliveries (id, endpoint, kind, run_id, seq, body, created_at, state, attempts, next_at, project)
         VALUES ('msg_1', 'hook', 'run.completed', 'open', 1, '{}', ?, 'pending', 0, ?, 'default')`,
        [tx.now, tx.now],
      );
      await tx.jobs.enqueue('work', {});
      const job = await tx.jobs.claim(['work'], 'old', 3_600_000);
      const lease = await tx.leases.claim('thing', 'old', 3_600_000);
      if (job === null || lease === null) throw new Error('both were free');
      return { job, lease };
    });

    expect(await invalidate(database, RESTORATION)).toMatchObject({
      runs_paused: 1,
      schedules_suspended: 1,
      messages_held: 1,
    });
    const stale = { code: 'lease_conflict' };
    await expect(database.write((tx) => tx.leases.assert(held.lease))).rejects.toMatchObject(stale);
    await expect(database.write((tx) => tx.leases.renew(held.lease, 1_000))).rejects.toMatchObject(stale);
    await expect(database.write((tx) => tx.jobs.heartbeat(held.job, 1_000))).rejects.toMatchObject(stale);
    // A job of a current fence may be completed late: this one may not.
    await expect(database.write((tx) => tx.jobs.complete(held.job))).rejects.toMatchObject(stale);
    const next = await database.write(async (tx) => ({
      lease: await tx.leases.claim('thing', 'new', 1_000),
      job: await tx.jobs.claim(['work'], 'new', 1_000),
    }));
    // Nor does whoever was granted it many times after the snapshot was taken.
    expect(next.lease?.fence).toBeGreaterThan(held.lease.fence + 1_000_000);
    expect(next.job?.fence).toBeGreaterThan(held.job.fence + 1_000_000);

    const { run } = await host.call(getRun, { run: 'open' });
    expect(run).toMatchObject({ paused: { by: 'system:host', reason: 'restored from a snapshot' } });
    expect((await host.call(getSchedule, { name: 'often' })).schedule).toMatchObject({
      state: 'suspended',
      reason: 'restored from a snapshot',
    });
    expect((await host.call(listDeliveries, { endpoint: 'hook' })).data).toMatchObject([
      { state: 'undelivered', reason: 'aborted' },
    ]);
    // What was due until then is not made up for.
    const { schedule } = await host.call(resumeSchedule, { name: 'often' });
    expect(schedule.next_slot ?? 0).toBeGreaterThan(Date.now() - 1_000);
    // It may be done twice: nothing is left to be ended.
    expect(await invalidate(database, RESTORATION)).toMatchObject({ runs_paused: 0, schedules_suspended: 1 });
  });

  it('AC-277: a fence that was granted after the snapshot is not current there either, whatever its job was then', async () => {
    const { composition } = await rigOf();
    const { database } = composition;
    const queued = await database.write((tx) => tx.jobs.enqueue('later', {}));
    // The replica claims it once the snapshot is taken; in the database restored in place it is queued again.
    const claim = await database.write((tx) => tx.jobs.claim(['later'], 'replica', 3_600_000));
    await database.write((tx) =>
      tx.sql.run(
        `UPDATE kernel_jobs SET status = 'queued', fence = fence - 1, lease_owner = NULL, lease_expires_at = NULL WHERE kind = 'later'`,
      ),
    );
    await invalidate(database, RESTORATION);
    const again = await database.write((tx) => tx.jobs.claim(['later'], 'replica', 3_600_000));
    if (claim === null || again === null) throw new Error('it was free');
    expect([claim.id, again.id]).toEqual([queued, queued]);
    const stale = { code: 'lease_conflict' };
    await expect(database.write((tx) => tx.jobs.complete(claim))).rejects.toMatchObject(stale);
    await database.write((tx) => tx.jobs.complete(again));
  });

  it('AC-277: a database that is in use is refused, and a dry run changes nothing', async () => {
    const url = open.url();
    if (!url.startsWith('postgres')) return;
    vi.stubEnv('PALISADE_DATABASE_URL', url);
    onTestFinished(() => void vi.unstubAllEnvs());
    const database = await open({ migrations: roomMigrations.flat() });
    const backups = hostBackups({ directory: '/' });
    const reason = 'the disk died';
    const ended = { runs_paused: 0, database: `${new URL(url).host}${new URL(url).pathname}` };
    const lease = await database.write((tx) => tx.leases.claim('run:one', 'engine', 3_600_000));
    const held = { code: 'lease_held', why: expect.stringContaining('leases that have not run out: 1') };
    await expect(backups.invalidate({ reason })).rejects.toMatchObject(held);
    await expect(backups.invalidate({ reason, dryRun: true })).rejects.toMatchObject(held);
    await database.write(async (tx) => {
      if (lease === null || !(await tx.leases.release(lease))) throw new Error('it was held');
    });
    // An engine that has nothing to do.
    const stop = database.onForeignCommit(() => {});
    await vi.waitFor(() =>
      expect(backups.invalidate({ reason, dryRun: true })).rejects.toMatchObject({
        code: 'lease_held',
        why: expect.stringContaining('wait for its commits: 1'),
      }),
    );
    stop();
    await vi.waitFor(async () =>
      expect(await backups.invalidate({ reason, dryRun: true })).toMatchObject(ended),
    );
    const fences = () => database.read((tx) => tx.sql.all('SELECT fence FROM kernel_leases'));
    expect(await fences()).toEqual([{ fence: 1 }]);
    expect(await backups.invalidate({ reason })).toMatchObject(ended);
    expect(await fences()).toEqual([{ fence: 1 + 2 ** 20 }]);
  });
});
