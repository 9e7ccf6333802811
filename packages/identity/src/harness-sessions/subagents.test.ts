import { closeHarnessSession, getHarnessSession } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { newSession, sessionRig } from '../../test/session-rig.ts';

const under = (parent: string, name = 'reviewer') => ({
  subagent: { project: 'default', name, parent_session: parent },
});

eachDatabase('subagents', (open) => {
  it('AC-060 AO-125: a name of a principal in a project is one identity in all its sessions, and keeps its parent', async () => {
    const { agent, another, register, room, call } = await sessionRig(open);
    const { caller, principal } = await agent('ci');
    const [top, other, first, second] = [newSession(), newSession(), newSession(), newSession()];
    await register(caller, top);
    await register(caller, other);
    const one = await register(caller, first, under(top.session));
    expect(one.subagent).toMatchObject({ project: 'default', name: 'reviewer', parent_session: top.session });
    expect(one.launch).toBe(top.session);
    await expect(register(caller, second, under(other.session))).rejects.toMatchObject({
      code: 'already_exists',
      next: expect.stringContaining(top.session),
    });
    // Also over another credential, and when its parent is closed.
    await call(closeHarnessSession, { session: top.session }, caller, { presented: top });
    const again = await register(await another(principal), second, under(top.session));
    expect(again.subagent).toEqual(one.subagent);
    const bound = await room.bindSession(caller, first);
    expect(bound).toMatchObject({ subagent: one.subagent?.identity, launch: top.session });
  });

  it('AC-060: a new one needs a parent that is open and of the same principal', async () => {
    const { agent, register, call, database } = await sessionRig(open);
    const [{ caller }, stranger] = [await agent('ci'), await agent('stranger')];
    const [top, theirs] = [newSession(), newSession()];
    await register(caller, top);
    await register(stranger.caller, theirs);
    const absent = newSession().session;
    const refusals = await Promise.all(
      [theirs.session, absent].map((parent) =>
        register(caller, newSession(), under(parent)).catch((error: Error & { code: string }) => [
          error.code,
          error.message.replace(parent, 'ID'),
        ]),
      ),
    );
    expect(refusals[0]).toEqual(refusals[1]);
    expect(refusals[0]).toEqual(['not_found', 'there is no harness session ID of yours']);
    await call(closeHarnessSession, { session: top.session }, caller, { presented: top });
    await expect(register(caller, newSession(), under(top.session))).rejects.toMatchObject({
      code: 'session_closed',
    });
    const elsewhere = { subagent: { project: 'absent', name: 'x', parent_session: top.session } };
    await expect(register(caller, newSession(), elsewhere)).rejects.toMatchObject({ code: 'not_found' });
    await database.write((tx) =>
      tx.sql.run("UPDATE projects SET archived_at = 1, archived_by = 'ada', archive_reason = 'over'"),
    );
    await expect(register(caller, newSession(), under(top.session))).rejects.toMatchObject({
      code: 'project_archived',
    });
    const limited = { ...caller, project: 'theirs' };
    await expect(register(limited, newSession(), under(top.session))).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('AC-061: a launch is the root of a chain, up to 64 hops away; beyond that nobody can say', async () => {
    const { agent, register, call, room } = await sessionRig(open);
    const { caller } = await agent('ci');
    const chain = [newSession()];
    await register(caller, chain[0] as (typeof chain)[0]);
    for (let hop = 1; hop <= 66; hop++) {
      const [parent, child] = [chain[hop - 1], newSession()];
      const { launch } = await register(caller, child, under(parent?.session ?? '', `of-${hop}`));
      expect([hop, launch]).toEqual([hop, hop <= 64 ? chain[0]?.session : null]);
      chain.push(child);
    }
    const last = chain.at(-1) as (typeof chain)[0];
    expect(await room.bindSession(caller, last)).toMatchObject({ launch: null });
    expect(await call(getHarnessSession, { session: last.session }, caller)).toMatchObject({ launch: null });
  });

  it('AC-060: many at once make one identity', async () => {
    const { agent, register } = await sessionRig(open);
    const { caller } = await agent('ci');
    const top = newSession();
    await register(caller, top);
    const made = await Promise.all(
      Array.from({ length: 8 }, () => register(caller, newSession(), under(top.session))),
    );
    expect(new Set(made.map(({ subagent }) => subagent?.identity)).size).toBe(1);
  });
});
