import { AUDIT_STREAM, getHarnessSession } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { newSession, sessionRig } from '../../test/session-rig.ts';

const DAY = 86_400_000;
const signal = new AbortController().signal;

eachDatabase('idle harness sessions', (open) => {
  it('AC-062 AO-207: what nothing was changed in for days is closed, with a record; what began something that is not idle stays', async () => {
    const { agent, register, call, clock, room, database } = await sessionRig(open, { sessionIdleDays: 7 });
    const { caller } = await agent('ci');
    const [idle, parent, child, grandchild, sleepy] = Array.from({ length: 5 }, newSession) as [
      ReturnType<typeof newSession>,
      ...ReturnType<typeof newSession>[],
    ];
    const under = (of: ReturnType<typeof newSession> | undefined, name: string) => ({
      subagent: { project: 'default', name, parent_session: of?.session ?? '' },
    });
    await register(caller, idle);
    await register(caller, parent as typeof idle);
    await register(caller, child as typeof idle, under(parent, 'child'));
    await register(caller, sleepy as typeof idle, under(idle, 'sleepy'));
    clock.skew = 3 * DAY;
    await register(caller, grandchild as typeof idle, under(child, 'grandchild'));
    const closed = async () => {
      const ids = [idle, parent, child, grandchild, sleepy];
      const all = ids.map((one) => call(getHarnessSession, { session: one?.session ?? '' }, caller));
      return (await Promise.all(all)).map(({ closed_at: at }) => at !== undefined);
    };
    clock.skew = 7 * DAY - 5_000;
    expect(await room.idleSessions.count()).toBe(0);
    expect(await room.idleSessions.close(signal)).toBe(0);
    clock.skew = 7 * DAY + 5_000;
    expect(await room.idleSessions.count()).toBe(2);
    expect(await room.idleSessions.close(signal)).toBe(2);
    expect(await closed()).toEqual([true, false, false, false, true]);
    expect(await room.bindSession(caller, idle)).toBeNull();
    const events = await database.read((tx) => tx.journal.read(AUDIT_STREAM, -1, 100));
    expect(events.at(-1)).toMatchObject({
      type: 'harness_session.idle_closed',
      data: { target: idle.session, idle_days: 7, last_activity_at: expect.any(Number), principal: null },
    });
    // What is changed in it keeps one open, and a look at it does not.
    const bound = await room.bindSession(caller, grandchild as typeof idle);
    if (bound === null) throw new Error('not bound');
    await database.write((tx) => room.recheck(tx, bound));
    clock.skew = 12 * DAY;
    await call(getHarnessSession, { session: bound.session ?? '' }, bound);
    expect(await room.idleSessions.close(signal)).toBe(0);
    clock.skew = 15 * DAY;
    expect(await room.idleSessions.close(signal)).toBe(3);
    expect(await closed()).toEqual([true, true, true, true, true]);
  });

  it('AC-062: with 0 days nothing is ever closed', async () => {
    const { agent, register, clock, room } = await sessionRig(open, { sessionIdleDays: 0 });
    const { caller } = await agent('ci');
    const made = newSession();
    await register(caller, made);
    clock.skew = 3_000 * DAY;
    expect(await room.idleSessions.count()).toBe(0);
    expect(await room.idleSessions.close(signal)).toBe(0);
    expect(await room.bindSession(caller, made)).not.toBeNull();
  });
});
