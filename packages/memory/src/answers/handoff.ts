import type { RepositoryHandoff } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import { lastFailure } from '../verification/verification-runs.ts';
import { changed } from './changed.ts';
import { review } from './review.ts';

export async function handoff(memory: Memory, base: string | undefined): Promise<RepositoryHandoff> {
  const reviewed = await review(memory, base);
  const now = changed(memory);
  const failure = lastFailure(memory);
  const { task, verification_history: runs, action_guidance: guidance } = reviewed;
  return {
    summary: `${task === null ? 'no task is set' : `task: ${task.goal}`}. ${reviewed.summary}. ${now.summary}`,
    freshness: reviewed.freshness,
    evidence: reviewed.evidence,
    review: reviewed,
    changed_now: now,
    next_actions: [
      ...(task?.has_scope_drift === true
        ? [`say why ${task.out_of_scope_changed[0]} is changed, or undo it`]
        : []),
      ...(failure === undefined
        ? []
        : failure.isOfNow
          ? [`mend what failed: ${failure.command}`]
          : [`run it again, it failed before, on other content: ${failure.command}`]),
      ...(memory.changes.length > 0 ? ['commit what is in the work tree'] : []),
      guidance.recommended_next_command,
    ],
    task,
    verification_history: runs,
    related_sessions: reviewed.related_sessions,
  };
}
