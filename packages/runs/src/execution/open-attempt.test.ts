import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash, newId } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, test } from 'vitest';
import { executorRig, leaveResult } from '../../test/executor-rig.ts';
import { finishChildRun, insertChildRun, isOpenAttempt, runMigrations, sweepAttempts } from '../index.ts';

eachDatabase('what an attempt left', (open) => {
  test('FF-031: is removed once its end is committed, and never before', async () => {
    const database = await open({ migrations: runMigrations });
    const rig = executorRig(() => ({ isOpen: (id) => isOpenAttempt(database, id) }));
    const id = newId('run');
    leaveResult(rig.root, id, { patch: 'patch' });
    await database.write((tx) =>
      insertChildRun(tx, {
        id,
        project: 'default',
        kind: 'agent',
        rootRunId: newId('run'),
        itemId: 'item',
        attempt: 1,
        title: 't',
        queue: 'default',
        actor: 'a',
        deadlineAt: 1,
        manifestRef: contentHash('manifest'),
        agent: 'item',
        model: null,
        reservedMicroUsd: null,
      }),
    );
    const isThere = () => existsSync(join(rig.root, id, 'result.json'));
    await expect(rig.executor.discard(id)).rejects.toMatchObject({ code: 'invalid_state' });
    expect(await sweepAttempts(database, rig.root, rig.executor, () => {})).toBe(0);
    expect(isThere()).toBe(true);
    const end = {
      state: 'failed',
      outcome: 'failed',
      exitCode: null,
      code: null,
      reason: null,
      product: {},
    } as const;
    await database.write((tx) => finishChildRun(tx, id, end));
    expect(await sweepAttempts(database, rig.root, rig.executor, () => {})).toBe(1);
    expect(isThere()).toBe(false);
  });
});
