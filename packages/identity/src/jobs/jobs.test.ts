import {
  AUDIT_STREAM,
  closeHarnessSession,
  getJob,
  type HarnessSessionView,
  listJobs,
  newId,
  reconcileClock,
  registerJob as registration,
  getClock,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { describedJob, jobRig, newJob } from '../../test/job-rig.ts';
import { newSession } from '../../test/session-rig.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

eachDatabase('jobs of harness sessions', (open) => {
  it('AC-150 AC-151: a session registers a job, and whoever may read the project sees it', async () => {
    const { working, registerJob, call, agent } = await jobRig(open);
    const { bound, principal, session } = await working('ci');
    const kept = newJob();
    const revision = 'a'.repeat(40);
    const { job, renew_after_seconds: after } = await registerJob(bound, kept, {
      source_revision: revision,
      renew_for_seconds: 600,
    });
    expect(job).toMatchObject({
      id: kept.job,
      producer_id: kept.producer,
      principal,
      session: session.session,
      workstation_id: 'laptop',
      label: 'npm test',
      source_revision: revision,
      state: 'registered',
      freshness: 'unobserved',
      reporter: {
        id: kept.reporter,
        expires_at: job.registered_at + 7 * DAY,
        lease_until: job.registered_at + 300_000,
        renew_until: job.registered_at + 600_000,
      },
    });
    expect(after).toBe(100);
    const reader = (await agent('reader', ['read'])).caller;
    expect(await call(getJob, { job: kept.job }, reader)).toEqual(job);
    expect(await call(listJobs, {}, reader)).toEqual({ data: [job], has_more: false });
  });

  it('AC-150: the same registration again is the same job, with another key too; anything else under one of its ids is refused', async () => {
    const { working, registerJob, call } = await jobRig(open);
    const { bound } = await working('ci');
    const other = await working('other');
    const kept = newJob();
    const first = await registerJob(bound, kept, {}, 'k');
    expect(await registerJob(bound, kept, {}, 'k')).toEqual(first);
    expect(await registerJob(bound, kept, {}, 'another')).toEqual(first);
    await expect(registerJob(bound, kept, { label: 'else' }, 'k')).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    });
    const taken = { code: 'already_exists' };
    const fresh = newJob();
    for (const [as, made, more] of [
      [bound, kept, { label: 'else' }],
      [bound, kept, { renew_for_seconds: 1 }],
      [bound, kept, { source_tree: 'b'.repeat(64) }],
      [bound, { ...kept, proof: fresh.proof }, {}],
      [bound, { ...fresh, producer: kept.producer }, {}],
      [bound, { ...fresh, reporter: kept.reporter }, {}],
      [other.bound, kept, {}],
    ] as const)
      await expect(registerJob(as, made, more)).rejects.toMatchObject(taken);
    expect((await call(listJobs, {})).data).toHaveLength(1);
    await expect(registerJob(bound, fresh, { dry_run: true })).resolves.toMatchObject({
      job: { id: fresh.job },
    });
    expect((await call(listJobs, {})).data).toHaveLength(1);
  });

  it('AC-150: many registrations at once make one job', async () => {
    const { working, registerJob, call } = await jobRig(open);
    const { bound } = await working('ci');
    const kept = newJob();
    const made = await Promise.all(Array.from({ length: 6 }, () => registerJob(bound, kept)));
    expect(new Set(made.map(({ job }) => job.id)).size).toBe(1);
    const rivals = [newJob(), newJob()].map((each) => ({ ...each, producer: newId('prod') }));
    const [one, two] = rivals as [(typeof rivals)[0], (typeof rivals)[0]];
    const both = await Promise.allSettled([
      registerJob(bound, one),
      registerJob(bound, { ...two, producer: one.producer }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect((await call(listJobs, {})).data).toHaveLength(2);
  });

  it('AC-150: it needs an open session on the same workstation, and a text that holds no credential', async () => {
    const { working, registerJob, call, agent, room, register } = await jobRig(open);
    const { bound, caller, session } = await working('ci');
    await expect(registerJob(caller, newJob())).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(call(registration, describedJob(newJob()))).rejects.toMatchObject({
      code: 'invalid_state',
    });
    await expect(registerJob(bound, newJob(), { workstation_id: 'tower' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await expect(registerJob(bound, newJob(), { label: 'use hunter2' })).rejects.toMatchObject({
      code: 'credential_in_text',
    });
    await call(closeHarnessSession, { session: session.session }, caller, { presented: session });
    await expect(registerJob(bound, newJob())).rejects.toMatchObject({ code: 'authentication_required' });
    // Who may only read has sessions, and nothing in them.
    const reader = (await agent('reader', ['read'])).caller;
    const own = newSession();
    const view: HarnessSessionView = await register(reader, own);
    const inIt = await room.bindSession(reader, { session: view.session_id, proof: own.proof });
    if (inIt === null) throw new Error('not bound');
    await expect(registerJob(inIt, newJob())).rejects.toMatchObject({ code: 'operation_not_permitted' });
  });

  it('AC-005 EX-020: a job of another project is as absent, and an archived project has no new ones', async () => {
    const { working, registerJob, call, database } = await jobRig(open);
    const { bound } = await working('ci');
    const kept = newJob();
    await registerJob(bound, kept);
    await database.write((tx) =>
      tx.sql.run(
        "INSERT INTO projects (key, title, policy_revision, created_at) VALUES ('theirs', 't', 1, 0)",
      ),
    );
    const refusals = await Promise.all(
      [kept.job, newJob().job].map((job) =>
        call(getJob, { job }, undefined, { project: 'theirs' }).catch((error: Error & { code: string }) => [
          error.code,
          error.message.replace(job, 'ID'),
        ]),
      ),
    );
    expect(refusals[0]).toEqual(refusals[1]);
    expect(refusals[0]).toEqual(['not_found', 'there is no job ID']);
    expect((await call(listJobs, {}, undefined, { project: 'theirs' })).data).toEqual([]);
    const limited = { ...bound, project: 'theirs' };
    await expect(registerJob(limited, newJob())).rejects.toMatchObject({ code: 'not_found' });
    await database.write((tx) =>
      tx.sql.run("UPDATE projects SET archived_at = 1, archived_by = 'ada', archive_reason = 'over'"),
    );
    await expect(registerJob(bound, newJob())).rejects.toMatchObject({ code: 'project_archived' });
  });

  it('AC-019 AC-151: a list goes on where it stopped, and tells of the states that are asked for', async () => {
    const { working, registerJob, report, call } = await jobRig(open);
    const { bound } = await working('ci');
    const all = Array.from({ length: 5 }, newJob);
    for (const each of all) await registerJob(bound, each);
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await call(listJobs, { limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
      if (cursor === undefined) break;
    }
    expect(seen).toEqual(all.map(({ job }) => job).toReversed());
    const [first] = all as [(typeof all)[0]];
    await report(first, { sequence: 1, state: 'failed', exit_code: 1 });
    const ids = async (...state: ('failed' | 'registered' | 'running')[]) =>
      (await call(listJobs, { state })).data.map(({ id }) => id);
    expect(await ids('failed')).toEqual([first.job]);
    expect(await ids('failed', 'registered')).toHaveLength(5);
    expect(await ids('running')).toEqual([]);
    expect(await ids()).toEqual([]);
  });

  it('AC-150 AC-152: of a proof there is a hash in one place, and nothing of it in receipts and records', async () => {
    const { working, registerJob, report, database, audit } = await jobRig(open);
    const { bound } = await working('ci');
    const kept = newJob();
    const { job } = await registerJob(bound, kept, {}, 'k');
    await report(kept, { sequence: 1, state: 'running', pid: 4, summary: 'what it said' }, 'r');
    await report(kept, { sequence: 2, state: 'running', pid: 4, summary: 'what it said' });
    await report(kept, { sequence: 3, state: 'succeeded', exit_code: 0 });
    const records = (await audit()).filter(({ action }) => action.startsWith('job.'));
    expect(records.map(({ action, target, outcome }) => [action, target, outcome])).toEqual([
      ['job.registered', job.id, 'done'],
      ['job.state_changed', job.id, 'done'],
      ['job.state_changed', job.id, 'done'],
    ]);
    const [receipts, events] = await database.read(async (tx) => [
      await tx.sql.all('SELECT * FROM kernel_receipts'),
      await tx.journal.read(AUDIT_STREAM, -1, 1_000),
    ]);
    const hash = describedJob(kept).reporter_verifier;
    for (const text of [JSON.stringify(receipts), JSON.stringify(events)]) {
      for (const secret of [kept.proof, hash]) expect(text).not.toContain(secret);
      expect(text).not.toContain('what it said');
    }
    expect(JSON.stringify(events)).not.toContain('npm test');
    const jobs = await database.read((tx) => tx.sql.all('SELECT * FROM producer_jobs'));
    expect(JSON.stringify(jobs)).not.toContain(kept.proof);
    expect(JSON.stringify(jobs)).toContain(hash);
  });

  it('AC-275 AO-201: while the clock is not trusted nothing is registered or renewed and what was seen is recorded; what ran out stays so', async () => {
    const rig = await jobRig((options) => open({ ...options, pausesOnRollback: true }));
    const { working, registerJob, report, renew, look, clock, call } = rig;
    const { bound } = await working('ci');
    const kept = newJob();
    await registerJob(bound, kept, { renew_for_seconds: 3_600 });
    expect(await look(kept)).toMatchObject({ launch_allowed: true, may_renew: true });
    clock.skew = -HOUR;
    const required = { code: 'clock_reconciliation_required' };
    await expect(registerJob(bound, newJob())).rejects.toMatchObject(required);
    await expect(renew(kept)).rejects.toMatchObject(required);
    const told = await report(kept, { sequence: 1, state: 'running', pid: 7 });
    expect(told).toMatchObject({ job: { state: 'running' }, launch_allowed: false, lease_remaining_ms: 0 });
    clock.skew = 5_000;
    const { incident } = await call(getClock, {});
    await call(reconcileClock, { incident_id: incident?.id ?? '', reason: 'set right' });
    await expect(renew(kept)).rejects.toMatchObject({ code: 'lease_conflict' });
    expect(await report(kept, { sequence: 2, state: 'succeeded', exit_code: 0 })).toMatchObject({
      job: { state: 'succeeded' },
    });
  });

  it('AC-062: a session is not idle while the reporter of a job of its own, or of one that it began, may report', async () => {
    const { working, registerJob, report, room, clock, register, call } = await jobRig(open, {
      sessionIdleDays: 1,
    });
    const signal = new AbortController().signal;
    const { bound, caller, session } = await working('ci');
    const child = newSession();
    await register(caller, child, {
      subagent: { project: 'default', name: 'helper', parent_session: session.session },
    });
    const inChild = await room.bindSession(caller, child);
    if (inChild === null) throw new Error('not bound');
    const [kept, ended] = [newJob(), newJob()];
    await registerJob(inChild, kept);
    await registerJob(bound, ended);
    await report(ended, { sequence: 1, state: 'not_started' });
    clock.skew = 2 * DAY;
    expect(await room.idleSessions.count()).toBe(0);
    expect(await room.idleSessions.close(signal)).toBe(0);
    await report(kept, { sequence: 1, state: 'succeeded', exit_code: 0 });
    expect(await room.idleSessions.count()).toBe(2);
    const again = await working('another');
    await registerJob(again.bound, newJob());
    clock.skew = 9 * DAY + 60_000;
    // Its days are over, whatever became of it.
    expect(await room.idleSessions.close(signal)).toBe(3);
    expect((await call(getJob, { job: kept.job })).state).toBe('succeeded');
  });
});
