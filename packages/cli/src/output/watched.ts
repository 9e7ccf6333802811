import { setTimeout as delay } from 'node:timers/promises';
import type { Invocation } from '../invocation.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { View } from './format.ts';

const REFRESH_MS = 2000;
/** Puts the cursor at the top and empties what is below. */
const AFRESH = '\u001B[H\u001B[J';

/** Looks again every two seconds until it is interrupted. For people: a {@link UsageError} in other formats. */
export async function watched(invocation: Invocation, look: () => Promise<View>): Promise<number> {
  const { settings, out, interrupted } = invocation;
  if (settings.format !== 'text')
    throw new UsageError('--watch has no end, so it is no document', {
      next: 'leave --watch out and ask again',
    });
  while (!interrupted.aborted) {
    const view = await look();
    const isDrawn = out.isTty && settings.manner === 'live';
    if (isDrawn) out.write(AFRESH);
    for (const line of view.text()) out.line(line);
    try {
      await delay(REFRESH_MS, undefined, { signal: interrupted });
    } catch {
      // Interrupted: that is how it ends.
    }
  }
  return 0;
}
