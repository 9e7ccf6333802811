import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { capture, repository, workspace } from '../test/repository.ts';

test('a file too big for a patch is named with its size and the limit, however small its part would be', async () => {
  const repo = await repository({ 'a.txt': 'a\n', 'zeros.bin': Buffer.alloc(300_000) });
  const handle = await workspace(repo);
  await writeFile(join(handle.directory, 'big.bin'), '');
  await truncate(join(handle.directory, 'big.bin'), 3 * 1024 ** 3);
  await expect(capture(handle)).rejects.toMatchObject({
    code: 'capture_failed',
    why: 'big.bin holds 3221225472 bytes, and a file in a patch at most 536870912',
    next: expect.stringContaining('outputs/'),
  });
  await rm(join(handle.directory, 'big.bin'));
  await rm(join(handle.directory, 'zeros.bin'));
  await expect(capture(handle, { maxBytes: 140_000 })).rejects.toMatchObject({
    code: 'capture_failed',
    why: 'zeros.bin holds 300000 bytes, and a file in a patch at most 280000',
  });
  expect((await capture(handle, { maxBytes: 150_000 })).files).toHaveLength(1);
});
