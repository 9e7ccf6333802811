import { callerOf, createProject, DEFAULT_PROJECT, listAgents, listCapabilities } from '@palisade/contracts';
import { secretMigrations } from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { EVERY_SCOPE, httpRig } from '../../test/http-rig.ts';
import { SealedCursors } from './sealed-cursors.ts';

const invalid = { status: 400, body: { code: 'invalid_cursor' } };

eachDatabase('cursors', (open) => {
  it('EX-021, AC-019: a page follows from what the one before gave, on every replica, and from nothing that somebody made up', async () => {
    const shared = open.url().startsWith('postgres') ? { databaseUrl: open.url() } : null;
    const rig = await httpRig(shared ?? {});
    const token = rig.token(EVERY_SCOPE);
    const host = callerOf(rig.composition.operations);
    for (const key of ['one', 'two', 'three']) await host.call(createProject, { key });
    const first = await rig.send('GET', '/v1/projects?limit=2', { token });
    const { next_cursor: cursor } = first.body as unknown as { next_cursor: string };
    const next = (at: string) => `/v1/projects?limit=2&cursor=${encodeURIComponent(at)}`;
    const keys = ({ data }: (typeof first)['body']) =>
      data.map((one) => (one as unknown as { key: string }).key);
    // Where there is one server, it is the next one.
    const replica = shared === null ? rig : await httpRig(shared);
    await replica.restart();
    const there = replica.token(EVERY_SCOPE);
    const second = await replica.send('GET', next(cursor), { token: there });
    expect([...keys(first.body), ...keys(second.body)].toSorted()).toEqual([
      'default',
      'one',
      'three',
      'two',
    ]);
    // Where the list goes on, as a handler takes it, is no cursor, and neither is one that was touched.
    const position = keys(first.body).at(-1) ?? '';
    const bytes = Buffer.from(cursor, 'base64url');
    const touched = [0, 15, bytes.length - 1].map((at) => {
      const copy = Buffer.from(bytes);
      copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
      return copy.toString('base64url');
    });
    const shorter = bytes.subarray(0, 16).toString('base64url');
    for (const made of [position, ...touched, shorter, `${cursor}=`, `${cursor}.`, 'x'])
      expect(await rig.send('GET', next(made), { token }), made).toMatchObject(invalid);
    // Who may not read is not told whether a cursor is good.
    const powerless = rig.token([]);
    expect(await rig.send('GET', next('x'), { token: powerless })).toMatchObject({ status: 403 });
  });

  it('EX-021: what one list or one project gave is good for no other', async () => {
    const migrations = secretMigrations;
    const cursors = new SealedCursors(await open({ migrations }));
    const { next_cursor: cursor } = (await cursors.sealed(listAgents, DEFAULT_PROJECT, {
      next_cursor: 'reviewer',
    })) as { next_cursor: string };
    const replica = new SealedCursors(await open({ migrations }));
    expect(await replica.opened(listAgents, DEFAULT_PROJECT, { cursor, limit: 3 })).toEqual({
      cursor: 'reviewer',
      limit: 3,
    });
    const code = { code: 'invalid_cursor' };
    await expect(cursors.opened(listAgents, 'web-shop', { cursor })).rejects.toMatchObject(code);
    await expect(cursors.opened(listAgents, null, { cursor })).rejects.toMatchObject(code);
    await expect(cursors.opened(listCapabilities, DEFAULT_PROJECT, { cursor })).rejects.toMatchObject(code);
  });
});
