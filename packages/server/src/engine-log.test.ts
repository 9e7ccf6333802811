import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { engineLog } from './engine-log.ts';

function place(): string {
  const directory = mkdtempSync(join(tmpdir(), 'palisade-log-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, 'engine.log');
}

test('FF-129: a foreign error is written without its words, which may quote data', () => {
  const path = place();
  let foreign: unknown;
  try {
    JSON.parse('hunter2');
  } catch (error) {
    foreign = error;
  }
  engineLog(path).fault(foreign, 'r');
  const text = readFileSync(path, 'utf8');
  expect(text).toContain('SyntaxError');
  expect(text).toContain('engine-log.test.ts');
  expect(text).not.toContain('hunter2');
  expect(statSync(path).mode & 0o077).toBe(0);
});

test('a fault that goes on is written once a minute with how often it happened, another one at once', () => {
  const path = place();
  let now = 0;
  const log = engineLog(path, () => now);
  for (; now < 61_000; now += 250) log.fault(new PalisadeError('internal', 'damaged'), 'r');
  log.fault(new PalisadeError('internal', 'other'), 'r');
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  expect(lines.map((line) => line.replace(/^\S+ \d+ /, ''))).toEqual([
    'fault r: internal: damaged',
    'fault r: internal: damaged (and 239 times more since the last line)',
    'fault r: internal: other',
  ]);
});
