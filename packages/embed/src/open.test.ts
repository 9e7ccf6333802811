import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { OpenOptions } from './open-options.ts';
import { open } from './open.ts';

function emptyDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'palisade-open-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test('DI-060: an option that cannot be right is refused before anything is made', async () => {
  const directory = emptyDirectory();
  const signer = {} as never;
  const wrong: readonly (Partial<OpenOptions> & { code?: string })[] = [
    { retentionDays: 2_556 },
    { retentionDays: 0 },
    { leaseMs: 1 },
    { database: 'mysql://somewhere' },
    { engine: 'detached', signer },
    { create: false, code: 'not_initialized' },
  ];
  for (const { code = 'invalid_input', ...options } of wrong) {
    await expect(open({ directory, ...options }), JSON.stringify(options)).rejects.toMatchObject({ code });
    expect(existsSync(join(directory, '.palisade')), JSON.stringify(options)).toBe(false);
  }
  for (const missing of ['', undefined as never])
    await expect(open({ directory: missing })).rejects.toMatchObject({ code: 'invalid_input' });
});

test('DI-060 DI-085: sinks that cannot be told apart are refused, and nothing stays open', async () => {
  const directory = emptyDirectory();
  const sink = { name: 'one', collect: () => {} };
  await expect(open({ directory, sinks: [sink, sink] })).rejects.toMatchObject({ code: 'invalid_input' });
  await (await open({ directory, sinks: [sink], engine: 'none' })).close();
});
