import { contentHash } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { hasExtended, partRefs, runMigrations, runStream } from '../index.ts';

const refs = [contentHash('of bob'), contentHash('grown'), contentHash('of cid')] as const;

eachDatabase('the parts of a run', (open) => {
  it('DI-203 DI-205: whoever added to a run is known also where only the ledger tells it', async () => {
    const before = runMigrations.filter(({ id }) => id !== 'runs-0006-part-actor');
    expect(before).toHaveLength(runMigrations.length - 1);
    const old = await open({ migrations: before });
    await old.write(async (tx) => {
      for (const [i, ref] of refs.entries()) {
        const cause = i === 1 ? 'a' : null;
        await tx.sql.run('INSERT INTO run_parts (run_id, seq, ref, items, cause) VALUES (?, ?, ?, 1, ?)', [
          'r',
          i + 1,
          ref,
          cause,
        ]);
        await tx.journal.append(runStream('r'), 'run.extended', {
          actor: ['human:bob', 'human:ann', 'human:cid'][i] ?? '',
          part_ref: ref,
          items: [`i${i}`],
          ...(cause === null ? {} : { cause }),
        });
        // More than are read at once.
        for (let n = 0; n < 300; n++)
          await tx.journal.append(runStream('r'), 'run.resumed', { actor: 'human:ann' });
      }
    });
    await old.close();
    const database = await open({ migrations: runMigrations });
    const known = await database.read(async (tx) => ({
      parts: (await partRefs(tx, 'r', 0)).map(({ actor }) => actor),
      later: (await partRefs(tx, 'r', 2)).map(({ actor }) => actor),
      has: await Promise.all(['human:bob', 'human:cid', 'human:ann'].map((who) => hasExtended(tx, 'r', who))),
    }));
    expect(known).toEqual({
      parts: ['human:bob', null, 'human:cid'],
      later: ['human:cid'],
      has: [true, true, false],
    });
  });
});
