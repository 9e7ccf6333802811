import { existsSync } from 'node:fs';
import { PalisadeError } from '@palisade/contracts';
import type { MemoryDatabase } from '../../store/memory-database.ts';
import { removeSource } from './sources.ts';

/** A folder, or one file, that transcripts are read from. */
export interface Root {
  readonly id: number;
  /** Empty of this machine, whatever it is called today. */
  readonly machine: string;
  readonly path: string;
  readonly isIncluded: boolean;
  readonly isThere: boolean;
}

interface RootRow extends Record<string, null | number | string> {
  readonly id: number;
  readonly machine: string;
  readonly path: string;
  readonly is_included: number;
}

/** Every folder to read: those of the harnesses, those included now and those included before. */
export async function rootsOf(
  database: MemoryDatabase,
  folders: readonly string[],
  { include, machine }: { include: readonly string[]; machine: string },
): Promise<readonly Root[]> {
  for (const path of include)
    if (!existsSync(path))
      throw new PalisadeError('not_found', `${path} is not there`, { next: 'name a folder of transcripts' });
  await database.write(() => {
    const add = 'INSERT OR IGNORE INTO roots (machine, path, is_included) VALUES (?, ?, ?)';
    for (const path of folders) if (existsSync(path)) database.run(add, '', path, 0);
    for (const path of include) database.run(add, machine, path, 1);
  });
  return database
    .all<RootRow>('SELECT * FROM roots ORDER BY id')
    .map(({ id, machine, path, is_included: included }) => ({
      id,
      machine,
      path,
      isIncluded: included === 1,
      isThere: existsSync(path),
    }));
}

/** Drops an included folder and everything that was read from it. */
export async function forgetRoot(database: MemoryDatabase, path: string): Promise<void> {
  const roots = database.all<RootRow>('SELECT * FROM roots WHERE path = ? AND is_included = 1', path);
  if (roots.length === 0)
    throw new PalisadeError('not_found', `${path} was not included`, { next: 'pal transcript stats' });
  await database.write(() => {
    for (const { id } of roots) {
      for (const source of database.all<{ id: number }>('SELECT id FROM sources WHERE root = ?', id))
        removeSource(database, source.id);
      database.run('DELETE FROM roots WHERE id = ?', id);
    }
  });
}
