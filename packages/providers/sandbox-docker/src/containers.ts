import { setTimeout as delay } from 'node:timers/promises';
import { PalisadeError } from '@palisade/contracts';
import { ATTEMPT_LABEL } from './container-options.ts';
import type { EngineClient } from './engine-client.ts';
import { EngineError } from './engine-error.ts';

/** How long a container may take to appear after its request, and to go after its removal. */
const APPEAR_MS = 3_000;
const GONE_MS = 30_000;
const POLL_MS = 100;

/**
 * Ends and removes every container of an attempt, and looks until none is left.
 *
 * @param isExpected a request for one more was under way when its supervisor died: it may still appear
 * @throws PalisadeError `provider_failed` when the engine does not answer or one stays
 */
export async function removeContainers(
  engine: EngineClient,
  attemptId: string,
  isExpected: boolean,
): Promise<void> {
  const startedAt = performance.now();
  let hasAppeared = false;
  try {
    for (;;) {
      const left = await engine.list(`${ATTEMPT_LABEL}=${attemptId}`);
      for (const id of left) await engine.remove(id);
      hasAppeared ||= left.length > 0;
      const elapsed = performance.now() - startedAt;
      if (left.length === 0 && (!isExpected || hasAppeared || elapsed > APPEAR_MS)) return;
      if (elapsed > GONE_MS) throw new PalisadeError('provider_failed', 'a container could not be removed');
      if (left.length === 0) await delay(POLL_MS);
    }
  } catch (error) {
    throw error instanceof EngineError ? error.toPalisade() : error;
  }
}
