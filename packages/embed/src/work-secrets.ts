import { limits, newId, registerEnvironment, removeEnvironment, sha256Hex } from '@palisade/contracts';
import type { Calls } from './calls.ts';
import type { Work, WorkSecrets } from './work.ts';

const DAY_MS = 86_400_000;
/** What a secret lives beyond the last moment at which an attempt could want it. */
const SPARE_MS = 300_000;

/**
 * Gives the work's own secrets to `submit` as its last environment, so that they win over the others (DI-073). The name
 * means something only meanwhile: what the run was given stays with the run. An inline value that says no time to live has
 * that of all attempts, at least a day, in case the work has to wait.
 */
export async function withSecrets<T>(
  calls: Calls,
  { secrets, ...work }: Work,
  submit: (work: Work) => Promise<T>,
): Promise<T> {
  if (secrets === undefined || Object.keys(secrets).length === 0) return submit(work);
  const id = work.id ?? newId('run');
  const name = `work:${sha256Hex(id).slice(0, 32)}`;
  await calls.call(registerEnvironment, { name, secrets: limited(secrets, work) });
  try {
    return await submit({ ...work, id, env: [...[work.env ?? []].flat(), name] });
  } finally {
    await calls.call(removeEnvironment, { name });
  }
}

function limited(secrets: WorkSecrets, work: Work): WorkSecrets {
  const attemptMs = work.timeout_seconds === undefined ? limits.attemptMs : work.timeout_seconds * 1000;
  const attempts = work.retry?.max_attempts ?? limits.maxAttempts;
  const ttl = Math.max(DAY_MS, attempts * attemptMs + SPARE_MS);
  return Object.fromEntries(
    Object.entries(secrets).map(([name, secret]) => [
      name,
      'inline' in secret ? { ttl_ms: ttl, ...secret } : secret,
    ]),
  );
}
