import { setTimeout as delay } from 'node:timers/promises';
import { PalisadeError } from '@palisade/contracts';
import { budgetOf } from '@palisade/workspace';
import { freshnessOf } from '../answers/freshness.ts';
import { indexRepository } from '../index-repository.ts';
import { type MemoryOptions, openMemory } from '../open-memory.ts';
import type { MemoryTool } from '../tools.ts';

/** How long whoever asks is kept waiting for the index; it goes on without them. */
const PATIENCE_MS = 20_000;
const INDEX_MS = 3_600_000;

/** Indexes that are being made, by the directory that was named. */
const running = new Map<string, Promise<unknown>>();

/**
 * Answers from an index of the commit that the repository is at. Where the index takes longer than a caller can wait, from the one before,
 * which the answer says; raises `overloaded` while there is none. Errors: those of the answer, and those of the index where there is none.
 */
export async function freshAnswer(
  { answer }: MemoryTool,
  options: MemoryOptions,
  input: unknown,
  patienceMs = PATIENCE_MS,
): Promise<unknown> {
  const status = await statusOf(options);
  if (status !== 'indexed') {
    const indexed = indexing(options.directory);
    // With an index, the answer says itself how old it is.
    const made = status === 'missing' ? indexed : indexed.catch(() => undefined);
    const isOver = await Promise.race([made.then(() => true), delay(patienceMs, false, { ref: false })]);
    if (!isOver && status === 'missing')
      throw new PalisadeError('overloaded', 'the repository is read for the first time, which is not over', {
        next: 'ask again in a minute',
        retryAfterMs: 60_000,
      });
  }
  return answer(options, input as never);
}

async function statusOf(options: MemoryOptions): Promise<'missing' | 'behind' | 'indexed'> {
  using memory = await openMemory(options);
  const { index_status: status, last_indexed_commit: indexed, current_commit: now } = freshnessOf(memory);
  if (status === 'missing') return 'missing';
  return indexed === now ? 'indexed' : 'behind';
}

/** One at a time of each repository. */
function indexing(directory: string): Promise<unknown> {
  const known = running.get(directory);
  if (known !== undefined) return known;
  const made = indexRepository({ directory, budget: budgetOf(INDEX_MS), now: Date.now() });
  const over = () => running.delete(directory);
  running.set(directory, made);
  made.then(over, over);
  return made;
}
