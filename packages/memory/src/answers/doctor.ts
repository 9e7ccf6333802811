import { existsSync } from 'node:fs';
import type { MemoryHealth } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import { freshnessOf } from './freshness.ts';

export function doctor(memory: Memory): MemoryHealth {
  const { reasons, ...freshness } = freshnessOf(memory);
  const { repository, database } = memory;
  return {
    repo_root: repository.root,
    work_tree: repository.workTree,
    repo_db_path: repository.databasePath,
    repo_db_exists: existsSync(repository.databasePath),
    ...freshness,
    recommended_next_command: freshness.index_status === 'indexed' ? 'pal repo changed' : 'pal repo index',
    notes: [...reasons, ...(database.loss === undefined ? [] : [database.loss])],
  };
}
