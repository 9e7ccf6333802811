import { setTimeout as delay } from 'node:timers/promises';
import { PalisadeError } from '@palisade/contracts';
import { assertBudget, budgetOf } from '@palisade/workspace';
import { freshnessOf } from '../answers/freshness.ts';
import { indexRepository } from '../index-repository.ts';
import { type MemoryOptions, openMemory } from '../open-memory.ts';
import type { RepositoryTool } from '../tools.ts';

/** How long whoever asks is kept waiting for the first index, and for one that only is to be newer; it goes on without them. */
export const PATIENCE = { missing: 20_000, behind: 5_000 } as const;
const INDEX_MS = 3_600_000;

/** Indexes that are asked for, by the directory that was named; they are made one after the other. */
const running = new Map<string, Promise<unknown>>();
let last: Promise<unknown> = Promise.resolve();

/** Resolves when every index that was asked for is made, or could not be. */
export async function indexesMade(): Promise<void> {
  while (running.size > 0) await Promise.allSettled(running.values());
}

/**
 * Answers from an index of the commit that the repository is at. Where the index takes longer than a caller can wait, from the one before,
 * which the answer says; raises `overloaded` while there is none. Errors: those of the answer, and those of the index where there is none.
 */
export async function freshAnswer(
  tool: RepositoryTool,
  options: MemoryOptions,
  input: unknown,
  patience: Readonly<Record<keyof typeof PATIENCE, number>> = PATIENCE,
): Promise<unknown> {
  const found = await answerOrStatus(tool, options, input);
  if (typeof found !== 'string') return found.answer;
  const indexed = indexing(options.directory);
  // With an index, the answer says itself how old it is.
  const made = found === 'missing' ? indexed : indexed.catch(() => undefined);
  if (!(await isOver(made, patience[found], options)) && found === 'missing')
    throw new PalisadeError('overloaded', 'the repository is read for the first time, which is not over', {
      next: 'ask again in a minute',
      retryAfterMs: 60_000,
    });
  return tool.answer(options, input as never);
}

/** Whether something ends within so many ms. Raises `canceled` as soon as nobody waits any more. */
async function isOver(made: Promise<unknown>, ms: number, { budget }: MemoryOptions): Promise<boolean> {
  const heard = new AbortController();
  const signals = budget.signal === undefined ? [heard.signal] : [heard.signal, budget.signal];
  const patience = delay(ms, false, { ref: false, signal: AbortSignal.any(signals) });
  try {
    return await Promise.race([made.then(() => true), patience]);
  } catch (error) {
    assertBudget(budget);
    throw error;
  } finally {
    heard.abort();
  }
}

/** The answer where the index is of the commit that the repository is at: of the memory that this was seen in. Else what is wrong with it. */
async function answerOrStatus(
  tool: RepositoryTool,
  options: MemoryOptions,
  input: unknown,
): Promise<keyof typeof PATIENCE | { readonly answer: unknown }> {
  using memory = await openMemory(options);
  const { index_status: status, last_indexed_commit: indexed, current_commit: now } = freshnessOf(memory);
  if (status === 'missing') return 'missing';
  return indexed === now ? { answer: await tool.from(memory, input as never) } : 'behind';
}

/** One for all who wait for it. */
function indexing(directory: string): Promise<unknown> {
  const known = running.get(directory);
  if (known !== undefined) return known;
  const made = last.then(() => indexRepository({ directory, budget: budgetOf(INDEX_MS), now: Date.now() }));
  const over = () => running.delete(directory);
  running.set(directory, made);
  last = made.then(over, over);
  return made;
}
