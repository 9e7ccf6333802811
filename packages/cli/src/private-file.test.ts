import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makePrivateDirectory } from './private-file.ts';

it('AC-158: a directory is on the disk with all that were made above it, and what is there is not written again', () => {
  const root = mkdtempSync(join(tmpdir(), 'palisade-private-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const synced: string[] = [];
  const make = (path: string): string[] => {
    makePrivateDirectory(join(root, path), (each) => synced.push(each));
    return synced.splice(0);
  };
  expect(make('state/jobs/one')).toEqual([join(root, 'state/jobs'), join(root, 'state'), root]);
  expect(make('state/jobs/two')).toEqual([join(root, 'state/jobs')]);
  expect(make('state/jobs/two')).toEqual([]);
  expect(statSync(join(root, 'state')).mode & 0o777).toBe(0o700);
  mkdirSync(join(root, 'state/other'));
  writeFileSync(join(root, 'state/other/file'), '');
  expect(() => make('state/other/file')).toThrow();
});
