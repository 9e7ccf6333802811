import type { TranscriptSearch } from '@palisade/contracts';
import type { MemoryDatabase } from '../../store/memory-database.ts';
import { embeddingOf } from '../embedding/embed-transcripts.ts';
import { type Embedder, likeness, packed } from '../embedding/embedder.ts';
import { nothingIndexed } from './nothing-indexed.ts';
import { findByWords, type Found, hits, type SearchOptions } from './search.ts';
import { filterClause } from './session-view.ts';
import { partsOf } from './word-query.ts';

/** Sessions of each ranking that are put together. */
const DEPTH = 100;

export interface MeaningOptions extends SearchOptions {
  readonly embedder: Embedder;
  readonly signal: AbortSignal;
  /** By words as well. */
  readonly isHybrid: boolean;
}

/** Sessions by likeness to the query, or by that and by words: where each ranking has them counts, not its scores. */
export async function searchByMeaning(
  database: MemoryDatabase,
  options: MeaningOptions,
): Promise<TranscriptSearch> {
  const { query, isHybrid } = options;
  const byMeaning = await findByMeaning(database, options);
  const byWords = isHybrid ? findByWords(database, { ...options, limit: DEPTH }) : undefined;
  const notes = byMeaning.length > 0 ? [] : [whyNothing(database, options)];
  if (partsOf(query).excluded.length > 0) notes.push('NOT is of words: what is alike may have them');
  return {
    query,
    taken_as: isHybrid ? 'hybrid' : 'meaning',
    data: hits(database, byWords?.found.slice(0, DEPTH) ?? [], byMeaning, options),
    notes: [...notes, ...(byWords?.notes ?? [])],
  };
}

function whyNothing(database: MemoryDatabase, options: MeaningOptions): string {
  const { provider, model } = options.embedder;
  const isEmpty = nothingIndexed(database, options);
  if (isEmpty !== undefined) return isEmpty;
  const made = database
    .all<{ provider: string; model: string }>(
      `SELECT provider, model FROM embeddings e WHERE EXISTS (SELECT 1 FROM chunks c WHERE c.embedding = e.id) ORDER BY id`,
    )
    .map((each) => ({ ...each }));
  if (made.some((each) => each.provider === provider && each.model === model))
    return 'nothing that is embedded is alike';
  const others = made.map((each) => `${each.provider} ${each.model}`).join(', ');
  return `nothing is embedded with ${provider} ${model}: pal transcript embed${others === '' ? '' : `; there is what was embedded with ${others} (PALISADE_EMBED_PROVIDER and PALISADE_EMBED_MODEL choose)`}`;
}

/** The best piece of each session; what is not alike at all is not there. */
async function findByMeaning(database: MemoryDatabase, options: MeaningOptions): Promise<readonly Found[]> {
  const { embedder, query, signal } = options;
  const embedding = embeddingOf(database, embedder);
  if (embedding === undefined) return [];
  // What is to be left out is not what is asked for.
  const parts = partsOf(query);
  const [asked] = await embedder.embed(
    [parts.excluded.length === 0 ? query : parts.wanted.join(' ')],
    signal,
  );
  if (asked === undefined) return [];
  const wanted = packed(asked);
  const { where, values } = filterClause(options);
  const likest = new Map<number, { score: number; line: number }>();
  const rows = database.all<{ source: number; line: number; vector: Uint8Array }>(
    `SELECT c.source, c.line, v.vector FROM chunks c JOIN vectors v ON v.embedding = c.embedding AND v.hash = c.hash
     JOIN sessions s ON s.source = c.source WHERE c.embedding = ? AND ${where}`,
    embedding,
    ...values,
  );
  for (const { source, line, vector } of rows) {
    const score = likeness(wanted, new Int8Array(vector.buffer, vector.byteOffset, vector.length));
    if (score > 0 && score > (likest.get(source)?.score ?? 0)) likest.set(source, { score, line });
  }
  return [...likest]
    .toSorted(([, one], [, other]) => other.score - one.score)
    .slice(0, DEPTH)
    .flatMap(([source, { line }]) => {
      const message = database.get<{ id: number }>(
        'SELECT id FROM messages WHERE source = ? AND line >= ? ORDER BY id LIMIT 1',
        source,
        line,
      );
      return message === undefined ? [] : [{ source, id: message.id }];
    });
}
