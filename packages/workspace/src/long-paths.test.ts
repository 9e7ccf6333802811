import { execFileSync } from 'node:child_process';
import { isPalisadeError } from '@palisade/contracts';
import { expect, test } from 'vitest';
import { capture, repository, workspace } from '../test/repository.ts';

test('folders nested beyond what a path can say fail the capture in words that can be read', async () => {
  const handle = await workspace(await repository({ 'a.txt': 'a\n' }));
  const deep = `for (let i = 0; i < 3000; i++) { fs.mkdirSync('dddd'); process.chdir('dddd'); } fs.writeFileSync('bottom', 'x');`;
  execFileSync(process.execPath, ['-e', deep], { cwd: handle.directory });
  const error: unknown = await capture(handle).catch((reason: unknown) => reason);
  if (!isPalisadeError(error, 'capture_failed')) throw new Error(`no refusal but ${String(error)}`);
  expect(`${error.message}${error.why ?? ''}`).toMatch(/too long|ENAMETOOLONG/);
  expect(`${error.message}${error.why ?? ''}`.length).toBeLessThan(600);
});
