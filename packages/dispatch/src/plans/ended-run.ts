import { PalisadeError } from '@palisade/contracts';
import type { RootRun } from '@palisade/runs';

/** The refusal of what can only be done to a run that goes on. */
export function endedRun({ id, state }: Pick<RootRun, 'id' | 'state'>): PalisadeError {
  return new PalisadeError('invalid_state', `run ${id} has already ended: ${state}`, {
    next: `palisade show ${id}`,
  });
}
