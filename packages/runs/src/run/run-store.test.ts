import { contentHash, newId, type RunState } from '@palisade/contracts';
import type { Database } from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, test } from 'vitest';
import { findRootRun, finishRootRun, insertRootRun, moveRootRun, runMigrations } from '../index.ts';

async function submitted(database: Database): Promise<string> {
  const id = newId('run');
  const nothing = {
    startedAt: null,
    finishedAt: null,
    deadlineAt: null,
    reason: null,
    cancelRequestedAt: null,
    cancelReason: null,
    pause: null,
    priority: 0,
    budget: null,
    spent: null,
    rerunOf: null,
    isOpenEnded: false,
    sealedAt: null,
  };
  await database.write((tx) =>
    insertRootRun(tx, {
      id,
      project: 'default',
      kind: 'plan',
      state: 'queued',
      title: 't',
      queue: 'default',
      actor: 'a',
      submittedAt: tx.now,
      base: { kind: 'empty' },
      settings: { sandbox: 'process', allowNetwork: false },
      planRef: contentHash('plan'),
      requestHash: 'h',
      ...nothing,
    }),
  );
  return id;
}

eachDatabase('the state of a run', (open) => {
  test('EX-083: is written only where the machine has an arc', async () => {
    const database = await open({ migrations: runMigrations });
    const id = await submitted(database);
    const state = async () => (await database.read((tx) => findRootRun(tx, id)))?.state;
    const move = (from: RunState, to: RunState) =>
      database.write((tx) => moveRootRun(tx, id, from, to, tx.now));
    const finish = (to: RunState) => database.write((tx) => finishRootRun(tx, id, to, null));
    await expect(move('queued', 'completed')).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(finish('completed')).rejects.toMatchObject({ code: 'invalid_state' });
    expect(await state()).toBe('queued');
    expect(await move('queued', 'running')).toBe(true);
    await expect(finish('queued')).rejects.toMatchObject({ code: 'invalid_state' });
    expect(await finish('completed')).toBe(true);
    expect(await state()).toBe('completed');
  });

  test('EX-089: has one end, and who comes later changes nothing', async () => {
    const database = await open({ migrations: runMigrations });
    const id = await submitted(database);
    const finish = (to: RunState) => database.write((tx) => finishRootRun(tx, id, to, null));
    expect(await finish('canceled')).toBe(true);
    expect(await finish('failed')).toBe(false);
    expect(await database.write((tx) => moveRootRun(tx, id, 'queued', 'running', tx.now))).toBe(false);
    expect((await database.read((tx) => findRootRun(tx, id)))?.state).toBe('canceled');
  });
});
