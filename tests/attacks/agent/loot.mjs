import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';

/** Names of the secrets in some bytes. They are known here by their hashes alone. */
export function secretsIn(bytes, { secrets }) {
  const words =
    Buffer.from(bytes)
      .toString('latin1')
      .match(/cnry-[A-Za-z0-9]{32}/g) ?? [];
  return [...new Set(words.flatMap((word) => secrets[hashOf(word)] ?? []))];
}

/** The same, and none is a failure. */
export function assertSecrets(bytes, targets) {
  const found = secretsIn(bytes, targets);
  if (found.length === 0) throw new Error('nothing of worth');
  return found.join(', ');
}

export function hashOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Runs a program that must exit with 0; gives its output. */
export function run(program, ...args) {
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, {
    timeout: 4_000,
    maxBuffer: 8 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (error !== undefined) throw error;
  if (status !== 0)
    throw new Error(`${signal ?? status}: ${stderr.toString('utf8').trim().split('\n').at(-1)}`);
  return stdout;
}
