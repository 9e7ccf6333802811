import type { TranscriptEmbedReport } from '@palisade/contracts';
import type { MemoryDatabase } from '../../store/memory-database.ts';
import { sessionNamed } from '../answers/show.ts';
import { type Embedder, packed } from './embedder.ts';
import { type Piece, piecesOf } from './pieces.ts';

/** Texts of one request. */
const BATCH = 64;

export interface EmbedOptions {
  readonly embedder: Embedder;
  readonly signal: AbortSignal;
  /** Only this session. */
  readonly session?: string | undefined;
  /** At most so many sessions. */
  readonly limit?: number | undefined;
  readonly batchSize?: number | undefined;
  readonly onProgress?: (done: number, all: number) => void;
}

/**
 * Makes vectors of every session whose latest state has none of this provider and model, the newest first. What is
 * done is kept session by session, so that a call that ends early is gone on with by the next (L-21); text that
 * was embedded before is not embedded again. Errors: those of the embedder.
 */
export async function embedTranscripts(
  database: MemoryDatabase,
  options: EmbedOptions,
): Promise<TranscriptEmbedReport> {
  const { embedder, session, limit } = options;
  const embedding = await database.write(() => embeddingOf(database, embedder, true));
  const waiting = backlogOf(
    database,
    embedding,
    session === undefined ? undefined : sessionNamed(database, session).source,
  );
  const counts = { sessions: 0, chunks: 0, reused: 0 };
  for (const { source, revision } of waiting.slice(0, limit)) {
    const pieces = piecesOf(database, source, embedder);
    const known = new Set(
      database
        .all<{ hash: string }>(
          'SELECT hash FROM vectors WHERE embedding = ? AND hash IN (SELECT value FROM json_each(?))',
          embedding,
          JSON.stringify(pieces.map(({ hash }) => hash)),
        )
        .map(({ hash }) => hash),
    );
    const missing = [
      ...new Map(pieces.filter(({ hash }) => !known.has(hash)).map((each) => [each.hash, each])).values(),
    ];
    const vectors = await vectorsOf(missing, options);
    await database.write(() => save(database, { embedding, source, revision }, pieces, missing, vectors));
    counts.sessions++;
    counts.chunks += pieces.length;
    counts.reused += pieces.length - missing.length;
    options.onProgress?.(counts.sessions, waiting.length);
  }
  const backlog = backlogOf(database, embedding, undefined).length;
  if (backlog === 0) await dropOrphans(database, embedding);
  return { provider: embedder.provider, model: embedder.model, ...counts, backlog };
}

/** The id of a provider and model; undefined when nothing was embedded with them. */
export function embeddingOf(database: MemoryDatabase, embedder: Embedder, isMade: true): number;
export function embeddingOf(database: MemoryDatabase, embedder: Embedder, isMade?: false): number | undefined;
export function embeddingOf(
  database: MemoryDatabase,
  { provider, model }: Embedder,
  isMade = false,
): number | undefined {
  if (isMade)
    database.run('INSERT OR IGNORE INTO embeddings (provider, model) VALUES (?, ?)', provider, model);
  return database.get<{ id: number }>(
    'SELECT id FROM embeddings WHERE provider = ? AND model = ?',
    provider,
    model,
  )?.id;
}

/** By revision and not by time, so that an old archive that was included late is as good as any (D-07). */
function backlogOf(
  database: MemoryDatabase,
  embedding: number,
  only: number | undefined,
): readonly { source: number; revision: number }[] {
  return database.all<{ source: number; revision: number }>(
    `SELECT s.source, f.revision FROM sessions s JOIN sources f ON f.id = s.source
     WHERE (? IS NULL OR s.source = ?) AND NOT EXISTS (
       SELECT 1 FROM embedded e WHERE e.embedding = ? AND e.source = s.source AND e.revision = f.revision)
     ORDER BY s.updated_at DESC, s.source`,
    only ?? null,
    only ?? null,
    embedding,
  );
}

async function vectorsOf(
  pieces: readonly Piece[],
  { embedder, signal, batchSize = BATCH }: EmbedOptions,
): Promise<readonly Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let at = 0; at < pieces.length; at += batchSize) {
    signal.throwIfAborted();
    const texts = pieces.slice(at, at + batchSize).map(({ text }) => text);
    vectors.push(...(await embedder.embed(texts, signal)));
  }
  return vectors;
}

function save(
  database: MemoryDatabase,
  { embedding, source, revision }: { embedding: number; source: number; revision: number },
  pieces: readonly Piece[],
  made: readonly Piece[],
  vectors: readonly Float32Array[],
): void {
  for (const [at, { hash }] of made.entries())
    database.run(
      'INSERT OR REPLACE INTO vectors (embedding, hash, vector) VALUES (?, ?, ?)',
      embedding,
      hash,
      packed(vectors[at] ?? new Float32Array()),
    );
  database.run('DELETE FROM chunks WHERE embedding = ? AND source = ?', embedding, source);
  for (const [seq, { hash, line }] of pieces.entries())
    database.run(
      'INSERT INTO chunks (source, embedding, seq, hash, line) VALUES (?, ?, ?, ?, ?)',
      source,
      embedding,
      seq,
      hash,
      line,
    );
  database.run(
    'INSERT OR REPLACE INTO embedded (embedding, source, revision) VALUES (?, ?, ?)',
    embedding,
    source,
    revision,
  );
}

async function dropOrphans(database: MemoryDatabase, embedding: number): Promise<void> {
  await database.write(() => {
    database.run(
      'DELETE FROM vectors WHERE embedding = ? AND hash NOT IN (SELECT hash FROM chunks WHERE embedding = ?)',
      embedding,
      embedding,
    );
  });
}
