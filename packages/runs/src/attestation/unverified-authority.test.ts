import { callerOf, getEvidenceStatus } from '@palisade/contracts';
import { fileNamedFiles } from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { evidenceOperations, runMigrations, sealMigrations } from '../index.ts';
import { recordSuccess } from './attestation-store.ts';

eachDatabase('an authority whose timestamps cannot be checked', (open) => {
  it('DI-228: is told as unverified, until certificates are set', async () => {
    const database = await open({ migrations: [...runMigrations, ...sealMigrations] });
    await database.write((tx) => recordSuccess(tx, { name: 'tsa.example', kind: 'timestamp' }, 3));
    await database.write((tx) => recordSuccess(tx, { name: 'witness.example/w', kind: 'witness' }, 3));
    const unused = () => Promise.reject(new Error('not asked for'));
    const attesters = async (trusted: Parameters<typeof evidenceOperations>[0]['trusted']) => {
      const ops = callerOf(
        evidenceOperations({
          database,
          files: fileNamedFiles(join(tmpdir(), 'palisade-no-log')),
          origin: 'test.example/log',
          publish: unused,
          seal: unused,
          keys: { current: unused, makeNext: unused, adoptNext: unused, dropNext: unused },
          whileUnpublished: unused,
          ...(trusted === undefined ? {} : { trusted }),
        }),
      );
      const status = await ops.call(getEvidenceStatus, {});
      return status.attesters.map(({ kind, unverified }) => [kind, unverified]);
    };
    expect(await attesters(undefined)).toEqual([
      ['timestamp', true],
      ['witness', undefined],
    ]);
    expect(await attesters({ timestamps: { required: false, authorities: ['AA=='] } })).toEqual([
      ['timestamp', undefined],
      ['witness', undefined],
    ]);
  });
});
