import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { type AttemptSpec, assertSafePath, PalisadeError } from '@palisade/contracts';
import { createSafely, writeAll } from './safe-file.ts';

/**
 * Copies every input to `inputs/<key>` and proves on the way that its bytes are the ones named
 * (DI-106).
 *
 * @throws PalisadeError `unsafe_path` for a key that is no plain name, `integrity_mismatch` for other bytes
 */
export function writeInputs(root: string, inputs: AttemptSpec['inputs']): void {
  for (const { key, ref, path } of inputs) {
    const target = assertSafePath(`inputs/${key}`);
    const from = openSync(path, 'r');
    try {
      const { file } = createSafely(root, target);
      try {
        if (copyHashing(from, file) !== ref)
          throw new PalisadeError('integrity_mismatch', `the input ${key} does not hash to its address`);
      } finally {
        closeSync(file);
      }
    } finally {
      closeSync(from);
    }
  }
}

function copyHashing(from: number, to: number): string {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(1024 * 1024);
  for (;;) {
    const read = readSync(from, piece);
    if (read === 0) return `sha256:${hash.digest('hex')}`;
    const bytes = piece.subarray(0, read);
    hash.update(bytes);
    writeAll(to, bytes);
  }
}
