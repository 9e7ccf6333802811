import { canonicalHash, type ContentHash, limits, Usage } from '@palisade/contracts';
import { readFileSafely } from '../overlay/safe-file.ts';
import type { AttemptContext } from './context.ts';
import { MAX_SUMMARY_CHARS } from './report.ts';

/*
 * Files an agent may leave under `.palisade/`. They are its word and may hold anything: each is read
 * through `readFileSafely`, bounded and parsed strictly, and one that is not as it should be is
 * told and ignored, never guessed at (DI-117, DI-118).
 */

const USAGE_BYTES = 64 * 1024;

/** The summary the agent wrote, or null. */
export function readSummary(attempt: AttemptContext, root: string): string | null {
  // Four bytes hold any character, and one more character than fits shows that it was cut.
  const found = readFileSafely(root, '.palisade/summary.md', MAX_SUMMARY_CHARS * 4 + 4);
  if (found === null) return null;
  if (found.isCut)
    attempt.report.warn(`.palisade/summary.md is longer than ${MAX_SUMMARY_CHARS} characters and was cut`);
  const text = new TextDecoder('utf-8').decode(found.bytes).trim();
  return text === '' ? null : text;
}

/** The usage the agent reported, or null. */
export function readUsage(attempt: AttemptContext, root: string): Usage | null {
  const parsed = readJson(attempt, root, '.palisade/usage.json', USAGE_BYTES);
  if (parsed === null) return null;
  const usage = Usage.safeParse(parsed.value);
  if (usage.success) return usage.data;
  attempt.report.warn('.palisade/usage.json is not a usage report and was ignored');
  return null;
}

/** The canonical hash of the dependency evidence, or null when there is none that counts (DI-118). */
export function readDeps(attempt: AttemptContext, root: string): ContentHash | null {
  const parsed = readJson(attempt, root, '.palisade/deps.json', limits.depsBytes);
  if (parsed === null) return null;
  try {
    return canonicalHash(parsed.value);
  } catch {
    attempt.report.warn('.palisade/deps.json has no canonical form and was ignored');
    return null;
  }
}

function readJson(
  attempt: AttemptContext,
  root: string,
  path: string,
  maxBytes: number,
): { value: unknown } | null {
  const found = readFileSafely(root, path, maxBytes);
  if (found === null) return null;
  if (found.isCut) {
    attempt.report.warn(`${path} is larger than ${maxBytes} bytes and was ignored`);
    return null;
  }
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(found.bytes)) as unknown };
  } catch {
    attempt.report.warn(`${path} is not JSON and was ignored`);
    return null;
  }
}
