import { memoryTools, type MemoryTool } from '../index.ts';
import { budgetOf } from '@palisade/workspace';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FIRST, TestRepository } from '../../test/history.ts';
import { freshAnswer } from './fresh-answer.ts';
import { MemoryThread } from './memory-thread.ts';

const FILES = { 'src/cart.ts': 'export const cart = 1;\n', 'src/tax.ts': 'export const tax = 1;\n' };
const risk = memoryTools.find(({ name }) => name === 'repo_risk') as MemoryTool;
const asked = { tool: 'repo_risk', input: { limit: 20 } };

function thread(): MemoryThread {
  const made = new MemoryThread();
  onTestFinished(() => made.close());
  return made;
}

describe('answers of a server', () => {
  it('WM-016, L-11: are made of an index of the commit that the repository is at', async () => {
    using repository = new TestRepository().commit({ files: FILES });
    const memory = thread();
    const ask = () => memory.ask({ ...asked, directory: repository.directory });
    expect(await ask()).toMatchObject({
      freshness: { index_status: 'indexed', is_stale: false },
      files: [{ churn_score: 1 }, { churn_score: 1 }],
    });
    repository.commit({ files: { 'src/cart.ts': 'export const cart = 2;\n' } });
    expect(await ask()).toMatchObject({
      freshness: { index_status: 'indexed', is_stale: false },
      files: [{ path: 'src/cart.ts', churn_score: 2 }, { path: 'src/tax.ts' }],
    });
  });

  it('nobody waits longer than they can: not for the first index, and for the next one with an answer that says how old it is', async () => {
    using repository = new TestRepository().commit({ files: FILES });
    const options = {
      directory: repository.directory,
      budget: budgetOf(60_000),
      now: (FIRST + 10) * 1_000,
    };
    const ask = (patienceMs?: number) => freshAnswer(risk, options, { limit: 20 }, patienceMs);
    await expect(ask(0)).rejects.toMatchObject({ code: 'overloaded', retryAfterMs: 60_000 });
    expect(await ask()).toMatchObject({ freshness: { index_status: 'indexed' } });
    repository.commit({ files: { 'src/cart.ts': 'export const cart = 2;\n' } });
    expect(await ask(0)).toMatchObject({
      freshness: { is_stale: true, reasons: ['HEAD has moved since the index was made'] },
    });
    expect(await ask()).toMatchObject({ freshness: { is_stale: false } });
  });

  it('what is wrong with a repository is said as it is here', async () => {
    using repository = new TestRepository();
    const memory = thread();
    await expect(memory.ask({ ...asked, directory: '/' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(memory.ask({ ...asked, directory: repository.directory })).rejects.toMatchObject({
      code: 'requirements_unmet',
      next: expect.stringContaining('git commit'),
    });
  });

  it('a thread that ends leaves nobody without an answer, and the next question has another one', async () => {
    using repository = new TestRepository().commit({ files: FILES });
    const memory = thread();
    const ask = (signal?: AbortSignal) => memory.ask({ ...asked, directory: repository.directory }, signal);
    const lost = Promise.allSettled([ask(), ask()]);
    await memory.close();
    for (const each of await lost)
      expect(each).toMatchObject({ status: 'rejected', reason: { code: 'internal' } });
    expect(await ask()).toMatchObject({ freshness: { index_status: 'indexed' } });
    const stop = new AbortController();
    const left = ask(stop.signal);
    stop.abort();
    await expect(left).rejects.toMatchObject({ code: 'canceled' });
    await expect(ask(AbortSignal.abort())).rejects.toMatchObject({ code: 'canceled' });
  });
});
