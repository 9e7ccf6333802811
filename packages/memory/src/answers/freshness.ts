import type { Freshness } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import { STALE_MS } from '../signals/weights.ts';
import { readFact } from '../store/facts.ts';

export function freshnessOf({ database, position, changes, now, isIndexed, repository }: Memory): Freshness {
  const indexedAt = Number(readFact(database, 'indexed_at') ?? 0);
  const commit = readFact(database, 'commit');
  const workTree = readFact(database, 'work_tree');
  const stale = isIndexed
    ? [
        ...(commit === position.commit ? [] : ['HEAD has moved since the index was made']),
        ...(now - indexedAt > STALE_MS ? ['the index is older than a day'] : []),
      ]
    : ['there is no index yet'];
  const reasons = [
    ...stale,
    ...(isIndexed && workTree !== repository.workTree ? ['the files were indexed in another work tree'] : []),
    ...(changes.length === 0 ? [] : ['files of the work tree have changes that are not committed']),
  ];
  return {
    index_status: isIndexed ? (stale.length > 0 ? 'stale' : 'indexed') : 'missing',
    indexed_at: isIndexed ? indexedAt : null,
    indexed_branch: readFact(database, 'branch') || null,
    last_indexed_commit: commit ?? null,
    current_branch: position.branch,
    current_commit: position.commit,
    working_tree_dirty: changes.length > 0,
    working_tree_file_count: changes.length,
    is_stale: stale.length > 0,
    reasons,
  };
}
