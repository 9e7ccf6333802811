import { mkdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hashFile } from '../hash-file.ts';
import { ATTEMPT_FILES, limits, PalisadeError, quotePath } from '@palisade/contracts';
import { type CapturedPatch, capturePatch } from '@palisade/workspace';
import { readFileSafely } from '../overlay/safe-file.ts';
import { patchedPathAt } from '../redaction/patched-path.ts';
import type { RunningAttempt } from './context.ts';

const PATCH_FILE = 'patch';
/** Bytes of one changed file that are searched for secrets beyond the patch itself. */
const MAX_SCANNED_FILE_BYTES = limits.patchBytes;
/**
 * How long an attempt that was stopped may still spend on saving its patch. With the grace of its last
 * program this must end before the engine loses patience and kills the worker (25 s).
 */
const PARTIAL_CAPTURE_MS = 8_000;

/** Whether the attempt goes on with a product (`whole`) or only saves what it can before it ends. */
export type CaptureMode = 'whole' | 'partial';

/**
 * Captures the patch as the attempt's `result_ref` (DI-115). A patch that holds a secret is removed.
 *
 * @throws PalisadeError `capture_failed` and the like when there is no trustworthy patch,
 *   `credential_in_text` naming the file and the secret's name
 */
export async function capturePatchProduct(
  attempt: RunningAttempt,
  mode: CaptureMode,
): Promise<string | undefined> {
  const patchPath = join(productsDir(attempt), PATCH_FILE);
  rmSync(patchPath, { force: true });
  const captured = await capturePatch(attempt.handle, {
    patchPath,
    maxBytes: limits.patchBytes,
    ...bounds(attempt, mode),
  });
  for (const warning of captured.warnings) attempt.report.warn(warning);
  await withholdSecrets(attempt, patchPath, captured);
  if (captured.conflictsPath !== null) await keepConflicts(attempt, captured.conflictsPath);
  if (captured.hash === null) return undefined;
  const { bytes, files, added, deleted, hash } = captured;
  attempt.report.facts({ result_ref: hash, patch: { files: files.length, added, deleted, bytes } });
  attempt.report.file({ file: PATCH_FILE, ref: hash, size: bytes });
  return hash;
}

/** Changes that lie on top of overlaid files and cannot be part of the patch; kept for people. */
async function keepConflicts(attempt: RunningAttempt, path: string): Promise<void> {
  const ref = await hashFile(path);
  attempt.report.file({
    file: basename(path),
    ref,
    size: statSync(path).size,
  });
}

/**
 * Looks for secrets in the patch as it is and in the changed files as they lie in the workspace: a
 * patch compresses binary content and breaks a value of several lines by its own marks.
 */
async function withholdSecrets(
  attempt: RunningAttempt,
  patchPath: string,
  captured: CapturedPatch,
): Promise<void> {
  const leak =
    (await leakInPatch(attempt, captured.empty ? null : patchPath)) ??
    (await leakInPatch(attempt, captured.conflictsPath)) ??
    leakInFiles(attempt, captured);
  if (leak === null) return;
  rmSync(patchPath, { force: true });
  if (captured.conflictsPath !== null) rmSync(captured.conflictsPath, { force: true });
  throw new PalisadeError('credential_in_text', leak);
}

async function leakInPatch(attempt: RunningAttempt, path: string | null): Promise<string | null> {
  if (path === null) return null;
  const found = await attempt.scanner.findInFile(path);
  return found === null ? null : leakText(quotePath(await patchedPathAt(path, found.offset)), found.secret);
}

function leakInFiles(attempt: RunningAttempt, captured: CapturedPatch): string | null {
  for (const file of captured.files) {
    if (file.newMode === null) continue;
    const content = readFileSafely(attempt.handle.directory, file.path, MAX_SCANNED_FILE_BYTES);
    const found = content === null ? null : attempt.scanner.find(content.bytes);
    if (found !== null) return leakText(quotePath(file.path), found.secret);
  }
  return null;
}

function leakText(where: string, secret: string): string {
  return `${where} holds the value of the secret ${secret}; the product is withheld`;
}

function bounds(attempt: RunningAttempt, mode: CaptureMode): { timeoutMs: number; signal?: AbortSignal } {
  return mode === 'partial'
    ? { timeoutMs: PARTIAL_CAPTURE_MS }
    : {
        timeoutMs: Math.min(limits.captureMs, attempt.stop.remainingMs()),
        signal: attempt.stop.signal,
      };
}

function productsDir(attempt: RunningAttempt): string {
  const dir = join(attempt.attemptDir, ATTEMPT_FILES.products);
  if (statSync(dir, { throwIfNoEntry: false }) === undefined) mkdirSync(dir, { mode: 0o755 });
  return dir;
}
