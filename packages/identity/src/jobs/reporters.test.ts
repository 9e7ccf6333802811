import {
  closeHarnessSession,
  getReporter,
  newId,
  observeJob,
  renewJob,
  revokeCredential,
  setPrincipalAccess,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { jobRig, type KeptJob, newJob } from '../../test/job-rig.ts';

const DAY = 86_400_000;
const unauthenticated = { code: 'authentication_required' };

eachDatabase('reporters of jobs', (open) => {
  const rigWithJob = async (more: { renew_for_seconds?: number } = {}) => {
    const rig = await jobRig(open);
    const agent = await rig.working('ci');
    const kept = newJob();
    await rig.registerJob(agent.bound, kept, more);
    return { ...rig, ...agent, kept };
  };

  it('AC-152: a bearer is good for the reporter it names, in its own form, and for nothing else', async () => {
    const { room, kept, token, call, registerJob, bound } = await rigWithJob();
    const other = newJob();
    await registerJob(bound, other);
    const good = await room.authenticateReporter(kept.bearer, kept.reporter);
    expect(good).toMatchObject({
      actor: 'agent:ci',
      scopes: new Set(),
      project: 'default',
      reporter: kept.reporter,
    });
    expect(good).not.toHaveProperty('session');
    const uuid = kept.reporter.slice(4);
    for (const [bearer, reporter] of [
      [kept.bearer, other.reporter],
      [`palr_${uuid}.${other.proof}`, kept.reporter],
      [`palr_${uuid}.${kept.proof.toUpperCase()}`, kept.reporter],
      [`palr_${uuid}.${kept.proof}0`, kept.reporter],
      [`palr_${uuid}.`, kept.reporter],
      [`pal_${uuid}.${kept.proof}`, kept.reporter],
      [token, kept.reporter],
      ['', kept.reporter],
      [newJob().bearer, newJob().reporter],
    ] as const)
      expect(await room.authenticateReporter(bearer, reporter)).toBeNull();
    expect(await room.authenticate(kept.bearer)).toBeNull();
    if (good === null) throw new Error('nobody');
    await expect(call(getReporter, { reporter: other.reporter }, good)).rejects.toMatchObject(
      unauthenticated,
    );
    await expect(call(getReporter, { reporter: kept.reporter }, bound)).rejects.toMatchObject({
      code: 'operation_not_permitted',
    });
    await expect(call(getReporter, { reporter: kept.reporter })).rejects.toMatchObject({
      code: 'operation_not_permitted',
    });
  });

  it('AC-056 AC-152 AO-173: it ends with the credential and the principal it stands on, also between its authentication and the writer lock, and not with the session', async () => {
    const rig = await rigWithJob({ renew_for_seconds: 600 });
    const { kept, call, caller, session, room, reporterOf, report, working, registerJob, clock } = rig;
    await call(closeHarnessSession, { session: session.session }, caller, { presented: session });
    expect(await report(kept, { sequence: 1, state: 'running', pid: 7 })).toMatchObject({
      job: { state: 'running' },
      may_observe: true,
      may_renew: false,
    });
    const before = await reporterOf(kept);
    const tell = (as: typeof before, of: KeptJob, sequence: number) =>
      call(observeJob, { reporter: of.reporter, producer_id: of.producer, sequence, state: 'running' }, as);
    await call(revokeCredential, { credential: rig.credential });
    await expect(tell(before, kept, 2)).rejects.toMatchObject(unauthenticated);
    expect(await room.authenticateReporter(kept.bearer, kept.reporter)).toBeNull();

    const other = await working('other');
    const theirs = newJob();
    await registerJob(other.bound, theirs);
    const disabled = await reporterOf(theirs);
    const access = { principal: other.principal, enabled: false, expected_revision: 1 };
    await call(setPrincipalAccess, access);
    await expect(tell(disabled, theirs, 1)).rejects.toMatchObject(unauthenticated);
    expect(await room.authenticateReporter(theirs.bearer, theirs.reporter)).toBeNull();
    // Given back, it goes on; after its days it is over for good.
    await call(setPrincipalAccess, { ...access, enabled: true, expected_revision: 2 });
    const late = await reporterOf(theirs);
    await tell(late, theirs, 1);
    clock.skew = 7 * DAY + 60_000;
    await expect(tell(late, theirs, 2)).rejects.toMatchObject(unauthenticated);
    expect(await room.authenticateReporter(theirs.bearer, theirs.reporter)).toBeNull();
    expect(
      (await rig.audit()).filter(({ outcome }) => outcome === 'refused').map(({ action }) => action),
    ).toEqual(['job.state_changed', 'job.state_changed', 'job.state_changed']);
  });

  it('AC-154: the same report again is one report, another one under its number is refused, and an older one changes nothing', async () => {
    const { kept, report } = await rigWithJob();
    const running = { sequence: 5, state: 'running', pid: 7, process_started_at: 'boot:1:99' } as const;
    const first = await report(kept, running);
    expect(first.job).toMatchObject({ state: 'running', freshness: 'fresh', last_observation: running });
    const again = await report(kept, running);
    expect(again.job.last_observation).toEqual(first.job.last_observation);
    await expect(report(kept, { ...running, pid: 8 })).rejects.toMatchObject({ code: 'already_exists' });
    await expect(report(kept, { ...running, sequence: 4 })).rejects.toMatchObject({ code: 'invalid_state' });
    await report(kept, { sequence: 9, state: 'unknown', summary: 'lost sight of it' });
    // One that was taken before is answered, and does not come back.
    expect((await report(kept, running)).job.state).toBe('unknown');
    await report(kept, { sequence: 10, state: 'running' });
    await expect(
      report(kept, { sequence: 11, state: 'running', producer_id: newId('prod') }),
    ).rejects.toMatchObject({
      code: 'invalid_state',
    });
    await expect(report(kept, { sequence: 11, state: 'running', summary: 'hunter2' })).rejects.toMatchObject({
      code: 'credential_in_text',
    });
    for (const wrong of [
      { state: 'succeeded' },
      { state: 'failed' },
      { state: 'running', exit_code: 0 },
      { state: 'not_started', exit_code: 1 },
    ] as const)
      await expect(report(kept, { sequence: 11, ...wrong })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('AC-151 AC-154: a final state stays, and its lease ends with it', async () => {
    const { bound, registerJob, report, look, renew } = await rigWithJob();
    for (const end of [
      { state: 'succeeded', exit_code: 0, inputs_unchanged: true },
      { state: 'failed', exit_code: 137 },
      { state: 'not_started', summary: 'no such program' },
    ] as const) {
      const kept = newJob();
      await registerJob(bound, kept, { renew_for_seconds: 600 });
      const ended = await report(kept, { sequence: 3, ...end });
      expect(ended).toMatchObject({
        job: { state: end.state, freshness: 'final' },
        launch_allowed: false,
        lease_remaining_ms: 0,
        may_observe: false,
        may_renew: false,
      });
      for (const state of ['running', 'unknown', 'not_started'] as const)
        await expect(report(kept, { sequence: 4, state })).rejects.toMatchObject({ code: 'invalid_state' });
      await expect(report(kept, { sequence: 4, state: 'failed', exit_code: 1 })).rejects.toMatchObject({
        code: 'invalid_state',
      });
      expect((await report(kept, { sequence: 3, ...end })).job).toEqual(ended.job);
      await expect(renew(kept)).rejects.toMatchObject({ code: 'invalid_state' });
      expect((await look(kept)).job).toEqual(ended.job);
    }
  });

  it('AC-154: of two that report under one number at once, one is taken; whichever order they come in, the last is the greatest', async () => {
    const { kept, report, look, database } = await rigWithJob();
    // Two replicas.
    const replicas = [report, (await jobRig(open)).report] as const;
    const by = (n: number) => replicas[n % 2 === 0 ? 0 : 1];
    const same = await Promise.allSettled(
      [1, 2, 3, 4].map((pid) => by(pid)(kept, { sequence: 1, state: 'running', pid })),
    );
    expect(same.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const each of same)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'already_exists' });
    await Promise.allSettled(
      [7, 3, 9, 5, 8, 2].map((sequence) => by(sequence)(kept, { sequence, state: 'running', pid: sequence })),
    );
    const { job } = await look(kept);
    expect(job.last_observation?.sequence).toBe(9);
    const ends = await Promise.allSettled([
      by(0)(kept, { sequence: 10, state: 'succeeded', exit_code: 0 }),
      by(1)(kept, { sequence: 11, state: 'failed', exit_code: 1 }),
    ]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const rows = await database.read((tx) =>
      tx.sql.all('SELECT sequence FROM job_observations ORDER BY sequence'),
    );
    expect(rows.map((row) => Number(row['sequence'])).slice(-2)[0]).toBe(9);
  });

  it('AC-032: a receipt is of one reporter, and answers nobody who may not report any more', async () => {
    const { kept, report, registerJob, bound, call, credential } = await rigWithJob();
    const other = newJob();
    await registerJob(bound, other);
    await report(kept, { sequence: 1, state: 'running' }, 'k');
    expect((await report(kept, { sequence: 1, state: 'running' }, 'k')).job.state).toBe('running');
    await expect(report(kept, { sequence: 2, state: 'running' }, 'k')).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    });
    expect((await report(other, { sequence: 1, state: 'running' }, 'k')).job.id).toBe(other.job);
    await call(revokeCredential, { credential });
    await expect(report(kept, { sequence: 1, state: 'running' }, 'k')).rejects.toThrow(
      'authenticates nobody',
    );
  });

  it('AC-032 AC-154: a reporter that uses every key of another one of its principal keeps it from nothing', async () => {
    const { kept, report, renew, registerJob, bound } = await rigWithJob({ renew_for_seconds: 600 });
    const victim = newJob();
    await registerJob(bound, victim, { renew_for_seconds: 600 });
    const keys = [1, 2, 3].map((n) => `${victim.job}-${n}`);
    for (const [i, key] of keys.entries()) {
      await report(kept, { sequence: i + 1, state: 'running' }, key);
      await renew(kept, key);
    }
    for (const [i, key] of keys.entries()) {
      await renew(victim, key);
      expect(await report(victim, { sequence: i + 1, state: 'running' }, key)).toMatchObject({
        job: { id: victim.job, last_observation: { sequence: i + 1 } },
      });
    }
    expect((await report(victim, { sequence: 9, state: 'succeeded', exit_code: 0 })).job.state).toBe(
      'succeeded',
    );
  });

  it('AC-032: a receipt of a version in which reporters shared their keys is good for the reporter it is of, and nothing to the others', async () => {
    const { kept, report, look, registerJob, bound, database, reporterOf } = await rigWithJob();
    const other = newJob();
    await registerJob(bound, other);
    const { principal } = await reporterOf(kept);
    const told = { sequence: 1, state: 'running' } as const;
    const request = { reporter: kept.reporter, producer_id: kept.producer, ...told };
    await database.write((tx) =>
      tx.receipts.once(
        `${principal}||${observeJob.id}`,
        'k',
        { reporter: kept.reporter, request },
        async () => ({}),
      ),
    );
    // It was executed then, as far as the receipt says: not again.
    await report(kept, told, 'k');
    expect((await look(kept)).job.state).toBe('registered');
    expect((await report(other, told, 'k')).job.state).toBe('running');
    await report(kept, { ...told, sequence: 2 }, 'k');
    expect((await look(kept)).job.last_observation?.sequence).toBe(2);
  });

  it('AC-153 AC-155: the lease is renewed up to its window, never shortened, and only while it runs and the session is open', async () => {
    const { kept, renew, look, report, clock, call, caller, session, registerJob, bound } = await rigWithJob({
      renew_for_seconds: 400,
    });
    const start = await look(kept);
    expect(start).toMatchObject({ launch_allowed: true, may_renew: true, may_observe: true });
    expect(start.lease_remaining_ms).toBeGreaterThan(290_000);
    const { reporter } = start.job;
    clock.skew = 100_000;
    const once = await renew(kept, 'k');
    // Up to the window, which is less than a whole lease away.
    expect(once.job.reporter.lease_until).toBeGreaterThan(reporter.lease_until ?? 0);
    expect(once.job.reporter.lease_until).toBeLessThanOrEqual(reporter.renew_until);
    clock.skew = 200_000;
    // A repeated call is told what is left by now.
    const again = await renew(kept, 'k');
    expect(again.lease_remaining_ms).toBeLessThan(once.lease_remaining_ms - 90_000);
    const [short, none] = [newJob(), newJob()];
    await registerJob(bound, short, { renew_for_seconds: 30 });
    await registerJob(bound, none);
    const kept30 = (await renew(short)).job.reporter;
    expect(kept30.lease_until).toBe((await look(short)).job.registered_at + 300_000);
    await expect(renew(none)).rejects.toMatchObject({ code: 'invalid_state' });
    await report(kept, { sequence: 1, state: 'running' });
    expect(await look(kept)).toMatchObject({ launch_allowed: false, may_renew: true });
    await call(closeHarnessSession, { session: session.session }, caller, { presented: session });
    await expect(renew(kept)).rejects.toMatchObject({ code: 'session_closed' });
    // Nor is a receipt: it says nothing of now.
    await expect(renew(kept, 'k')).rejects.toMatchObject({ code: 'session_closed' });
    expect(await look(none)).toMatchObject({ launch_allowed: false });
    clock.skew = 600_000;
    expect(await look(kept)).toMatchObject({ lease_remaining_ms: 0, may_observe: true });
  });

  it('AC-155: a lease that ran out is not renewed', async () => {
    const { kept, renew, look, clock } = await rigWithJob({ renew_for_seconds: 3_600 });
    clock.skew = 301_000;
    expect(await look(kept)).toMatchObject({
      launch_allowed: false,
      may_renew: false,
      lease_remaining_ms: 0,
    });
    await expect(renew(kept)).rejects.toMatchObject({ code: 'lease_conflict' });
  });

  it('AC-156: whoever is not heard of any more is stale, and nothing else', async () => {
    const { kept, report, look, clock } = await rigWithJob();
    await report(kept, { sequence: 1, state: 'running' });
    clock.skew = 121_000;
    expect((await look(kept)).job).toMatchObject({ state: 'running', freshness: 'stale' });
    await report(kept, { sequence: 2, state: 'running' });
    expect((await look(kept)).job).toMatchObject({ state: 'running', freshness: 'fresh' });
  });

  it('AC-070: nothing is reported in an archived project, and nothing may start in it', async () => {
    const { kept, report, renew, look, database } = await rigWithJob({ renew_for_seconds: 600 });
    await database.write((tx) =>
      tx.sql.run("UPDATE projects SET archived_at = 1, archived_by = 'ada', archive_reason = 'over'"),
    );
    expect(await look(kept)).toMatchObject({ launch_allowed: false, may_observe: false, may_renew: false });
    const archived = { code: 'project_archived' };
    await expect(report(kept, { sequence: 1, state: 'running' })).rejects.toMatchObject(archived);
    await expect(renew(kept)).rejects.toMatchObject(archived);
  });

  it('AC-152: it calls nothing that anybody else calls', async () => {
    const { kept, reporterOf, room } = await rigWithJob();
    const caller = await reporterOf(kept);
    const own = new Set([getReporter.id, observeJob.id, renewJob.id]);
    for (const { operation, handler } of room.operations) {
      const context = { actor: caller.actor, caller, project: 'default', idempotencyKey: 'k' };
      const refused = await handler({}, context).then(
        () => 'answered',
        (error: { code: string }) => error.code,
      );
      if (own.has(operation.id)) expect(refused, operation.id).toBe('invalid_input');
      else if (operation.access !== 'anonymous')
        expect(refused, operation.id).toBe('operation_not_permitted');
    }
  });
});
