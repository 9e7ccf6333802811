export { AGENTS_BLOCK, installAgentsBlock } from './agents-block.ts';
export { changed } from './answers/changed.ts';
export { check, plannedChecks } from './answers/check.ts';
export { decisions } from './answers/decisions.ts';
export { doctor } from './answers/doctor.ts';
export { handoff } from './answers/handoff.ts';
export { repositoryMap } from './answers/map.ts';
export { explain, neighbors, plan, safe } from './answers/one-file.ts';
export { preflight } from './answers/preflight.ts';
export { ranking } from './answers/ranking.ts';
export { review } from './answers/review.ts';
export { clearTask, presentTask, scopeOf, startTask } from './answers/task.ts';
export { isFix } from './history/commit-kind.ts';
export { indexRepository } from './index-repository.ts';
export { type Memory, openMemory } from './open-memory.ts';
export { consoleTools } from './console/console-tools.ts';
export { type MemoryTool, memoryTools } from './tools.ts';
export { transcriptTools } from './transcript-tools.ts';
export { typed } from './verification/command.ts';
export { listTranscripts } from './transcripts/answers/list.ts';
export { nothingIndexed } from './transcripts/answers/nothing-indexed.ts';
export { searchTranscripts } from './transcripts/answers/search.ts';
export { showTranscript } from './transcripts/answers/show.ts';
export { HARNESSES, type Harness } from './transcripts/events.ts';
export { indexTranscripts } from './transcripts/index-transcripts.ts';
export { openTranscripts } from './transcripts/open-transcripts.ts';
export { grepTranscripts } from './transcripts/answers/grep.ts';
export { transcriptStats } from './transcripts/answers/stats.ts';
export { relatedTranscripts } from './transcripts/answers/related.ts';
export { repositoryScope } from './transcripts/answers/repository-scope.ts';
export type { MemoryDatabase } from './store/memory-database.ts';
export { searchByMeaning } from './transcripts/answers/search-by-meaning.ts';
export { chooseEmbedder } from './transcripts/embedding/choose-embedder.ts';
export { embedTranscripts } from './transcripts/embedding/embed-transcripts.ts';
export { agentProcesses, callingAgent } from './transcripts/live/agent-processes.ts';
export { liveTranscripts } from './transcripts/live/live-transcripts.ts';
export {
  AUTHORITY_DECISIONS,
  decideAuthority,
  listAuthority,
  MESSAGE,
  requestAuthority,
} from './console/authority.ts';
export { type ClaimedRepository, claimedRepository, claimTarget } from './console/claim-target.ts';
export { acquireClaims, LEASE_MS, listClaims, releaseClaims } from './console/claims.ts';
export {
  type Change,
  type Console,
  consoleOf,
  openConsole,
  type Party,
  partyNamed,
} from './console/console.ts';
export { attestGate, listGates, openGate } from './console/gates.ts';
export { acceptHandoff, listHandoffs, writeHandoff } from './console/handoffs.ts';
export { setManifest } from './console/manifests.ts';
export { closeReview, createReview, openReviews, showReview } from './console/reviews.ts';
export { type KnownSession, sessionNamed, sessionText } from './console/sessions.ts';
export { consoleSession, consoleSnapshot, transcriptKeys } from './console/snapshot.ts';
export { interruptOwned } from './console/owned/interrupt-owned.ts';
export { logTail } from './console/owned/owned-log.ts';
export { assertFree, assertOwnedId, listOwned, ownedOfRun, showOwned } from './console/owned/owned-rows.ts';
export { runOwned, SESSION_VARIABLE } from './console/owned/run-owned.ts';
