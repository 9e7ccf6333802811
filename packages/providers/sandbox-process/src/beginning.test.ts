import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTimeNow } from '@palisade/process';
import { expect, onTestFinished, test } from 'vitest';
import { beginningOf, noteBeginning } from './beginning.ts';

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'palisade-beginning-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test('FF-063: the first sandbox of an attempt says from when on its processes exist', () => {
  const stateDir = scratch();
  const noted = noteBeginning(stateDir);
  expect(noted).toBeGreaterThan(0);
  expect(beginningOf(stateDir)).toBe(noted);
  writeFileSync(join(stateDir, 'beginning'), String(noted - 50));
  noteBeginning(stateDir);
  expect(beginningOf(stateDir)).toBe(noted - 50);
});

test('FF-063: a note that is missing, damaged or of an earlier start of the machine spares no process', () => {
  const stateDir = scratch();
  expect(beginningOf(stateDir)).toBe(0);
  for (const text of ['', 'soon', '-5', 'NaN', 'Infinity', String(startTimeNow() + 10_000)]) {
    writeFileSync(join(stateDir, 'beginning'), text);
    expect(beginningOf(stateDir)).toBe(0);
  }
});
