import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { printResults } from './result-sink.ts';
import type { RunResult } from './run.ts';

const result: RunResult = {
  id: 'r',
  state: 'completed',
  ok: true,
  reason: 'two\nlines',
  items: [],
  item: () => {
    throw new Error('unused');
  },
};

test('DI-085: the stock sink prints one line of JSON', async () => {
  const chunks: string[] = [];
  const stream = new Writable({ write: (chunk, _, done) => done(void chunks.push(String(chunk))) });
  await printResults({ stream }).collect(result);
  expect(chunks.join('')).toBe(`${JSON.stringify(chunks.map((line) => JSON.parse(line) as object)[0])}\n`);
  expect(JSON.parse(chunks.join(''))).toMatchObject({ run: 'r', ok: true, reason: 'two\nlines' });
});

test('DI-085: a reader that has gone is a try that failed, and nothing that ends the program', async () => {
  const stream = new Writable({ write: (_chunk, _, done) => done(new Error('EPIPE')) });
  await expect(printResults({ stream }).collect(result)).rejects.toThrow('EPIPE');
  // An event of the stream that nobody hears would end the process.
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(stream.listenerCount('error')).toBe(0);
});
