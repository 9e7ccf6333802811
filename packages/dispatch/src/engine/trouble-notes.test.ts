import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { migrations } from '../../test/engine-rig.ts';
import { TroubleNotes } from './trouble-notes.ts';
import { troublesOf } from './trouble-store.ts';

eachDatabase('notes of trouble', (open) => {
  it('FF-057: what was noted beside the step that ended it does not stay, and what comes after that does', async () => {
    const database = await open({ migrations });
    const lease = await database.write((tx) => tx.leases.claim('run:r', 'engine', 60_000));
    if (lease === null) throw new Error('nobody else has it');
    const notes = new TroubleNotes(database, 'r', () => lease, []);
    const noted = async () => {
      await notes.settled;
      return [...(await database.read((tx) => troublesOf(tx, 'r'))).keys()];
    };
    notes.note('a', new Error('away'));
    notes.note('b', new Error('away'));
    notes.forget(['a', 'c']);
    expect(await noted()).toEqual(['b']);
    notes.forget(['b']);
    notes.note('b', new Error('away again'));
    expect(await noted()).toEqual(['b']);
    expect([...notes.troubled]).toEqual(['b']);
  });
});
