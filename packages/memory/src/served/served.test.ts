import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { freshnessOf } from '../answers/freshness.ts';
import { repositoryTools, type RepositoryTool } from '../tools.ts';
import { budgetOf } from '@palisade/workspace';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FIRST, TestRepository } from '../../test/history.ts';
import { freshAnswer } from './fresh-answer.ts';
import { MemoryThread, type ThreadTimes } from './memory-thread.ts';

const FILES = { 'src/cart.ts': 'export const cart = 1;\n', 'src/tax.ts': 'export const tax = 1;\n' };
const risk = repositoryTools.find(({ name }) => name === 'repo_risk') as RepositoryTool;
const asked = { tool: 'repo_risk', input: { limit: 20 } };

function thread(times?: Partial<ThreadTimes>): MemoryThread {
  const made = new MemoryThread(times);
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
    const none = { missing: 0, behind: 0 };
    const ask = (patience?: typeof none) => freshAnswer(risk, options, { limit: 20 }, patience);
    await expect(ask(none)).rejects.toMatchObject({ code: 'overloaded', retryAfterMs: 60_000 });
    expect(await ask()).toMatchObject({ freshness: { index_status: 'indexed' } });
    repository.commit({ files: { 'src/cart.ts': 'export const cart = 2;\n' } });
    // As long as another process writes the index, none is made here.
    using writer = new DatabaseSync(join(repository.directory, '.git/palisade/memory.db'));
    writer.exec('BEGIN IMMEDIATE');
    expect(await ask(none)).toMatchObject({
      freshness: { is_stale: true, reasons: ['HEAD has moved since the index was made'] },
    });
    const stop = new AbortController();
    const left = freshAnswer(risk, { ...options, budget: budgetOf(60_000, stop.signal) }, { limit: 20 });
    setTimeout(() => stop.abort(), 50);
    await expect(left).rejects.toMatchObject({ code: 'canceled' });
    writer.exec('ROLLBACK');
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
    await expect(ask()).rejects.toMatchObject({ code: 'internal', why: 'the server ends' });
    expect(memory.threads).toBe(0);
  });

  it('one that does not answer in time is given up, and who asks next has another', async () => {
    using repository = new TestRepository().commit({ files: FILES });
    const memory = thread({ answerMs: 1, graceMs: 1 });
    for (let times = 0; times < 2; times++)
      await expect(memory.ask({ ...asked, directory: repository.directory })).rejects.toMatchObject({
        code: 'internal',
        why: 'it did not answer in time',
      });
  });

  it('who leaves is not answered, and nobody else is disturbed', async () => {
    using repository = new TestRepository().commit({ files: FILES });
    const memory = thread();
    const ask = (signal?: AbortSignal) => memory.ask({ ...asked, directory: repository.directory }, signal);
    const stop = new AbortController();
    const [left, stays] = [ask(stop.signal), ask()];
    stop.abort();
    await expect(left).rejects.toMatchObject({ code: 'canceled' });
    expect(await stays).toMatchObject({ freshness: { index_status: 'indexed' } });
    await expect(ask(AbortSignal.abort())).rejects.toMatchObject({ code: 'canceled' });
  });

  it('a thread that nobody asks ends, but not before the index is made that was asked for', async () => {
    using repository = new TestRepository().commit({ files: FILES });
    const memory = thread({ idleMs: 1 });
    const path = join(repository.directory, '.git/palisade/memory.db');
    await repository.index();
    using writer = new DatabaseSync(path);
    writer.exec('BEGIN IMMEDIATE');
    repository.commit({ files: { 'src/cart.ts': 'export const cart = 2;\n' } });
    expect(await memory.ask({ ...asked, directory: repository.directory })).toMatchObject({
      freshness: { is_stale: true },
    });
    writer.exec('ROLLBACK');
    await vi.waitFor(() => expect(memory.threads).toBe(0), 30_000);
    using found = await repository.memory();
    expect(freshnessOf(found)).toMatchObject({ is_stale: false });
  });

  it('what is set for git here is set in the thread, and nothing else', async () => {
    using repository = new TestRepository().commit({ files: FILES });
    repository.write({ 'undefined/git/ignore': 'new.ts\n', 'new.ts': '1\n' });
    const before = process.env['XDG_CONFIG_HOME'];
    delete process.env['XDG_CONFIG_HOME'];
    onTestFinished(() => {
      if (before !== undefined) process.env['XDG_CONFIG_HOME'] = before;
    });
    const answer = await thread().ask({
      tool: 'repo_changed',
      input: {},
      directory: repository.directory,
    });
    expect(JSON.stringify(answer)).toContain('"path":"new.ts"');
  });
});
