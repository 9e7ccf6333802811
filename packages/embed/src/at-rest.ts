import { RUN_TERMINAL, type RunView } from '@palisade/contracts';

/** True when nothing of the run goes on by itself any more: whoever waits for it is answered now. */
export function isAtRest({ state }: RunView): boolean {
  return RUN_TERMINAL.has(state);
}
