import { mkdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hashFile } from '../hash-file.ts';
import { ATTEMPT_FILES, limits, PalisadeError, quotePath } from '@palisade/contracts';
import { type CapturedPatch, captureOutputs, capturePatch, pathBytes } from '@palisade/workspace';
import { openSafely } from '../overlay/safe-file.ts';
import { patchedPathAt } from '../redaction/patched-path.ts';
import type { RunningAttempt } from './context.ts';

const PATCH_FILE = 'patch';
/**
 * How long a stopped attempt may still spend on saving what is there. With the grace of its last
 * program (10 s by default) it must end before the engine loses patience and kills the worker (25 s).
 */
export const PARTIAL_CAPTURE_MS = 10_000;

/**
 * Captures the patch as the attempt's `result_ref` (DI-115). A patch that holds a secret is removed.
 *
 * @param until when a stopped attempt has to be done with it; null while the attempt runs
 * @returns the address of the patch; nothing when there is no change
 * @throws PalisadeError `capture_failed` and the like when there is no trustworthy patch,
 *   `credential_in_text` naming the file and the secret's name
 */
export async function capturePatchProduct(
  attempt: RunningAttempt,
  until: number | null,
): Promise<string | undefined> {
  const patchPath = join(productsDir(attempt), PATCH_FILE);
  rmSync(patchPath, { force: true });
  attempt.report.withdrawPatch();
  const captured = await capturePatch(attempt.handle, {
    patchPath,
    maxBytes: limits.patchBytes,
    withTests: checksItself(attempt.spec),
    ...bounds(attempt, until),
  });
  attempt.report.testSet(captured.tests);
  for (const warning of captured.warnings) attempt.report.warn(warning);
  await withholdSecrets(attempt, patchPath, captured);
  if (captured.conflictsPath !== null) await keepConflicts(attempt, captured.conflictsPath);
  if (captured.hash === null) return undefined;
  const { bytes, files, added, deleted, hash } = captured;
  attempt.report.facts({ result_ref: hash, patch: { files: files.length, added, deleted, bytes } });
  attempt.report.file({ file: PATCH_FILE, ref: hash, size: bytes });
  return hash;
}

/**
 * Captures the regular files under `outputs/` (DI-116). An output that holds a secret is removed and
 * fails the capture; the others stay. Returns how many there are.
 *
 * @param until as for {@link capturePatchProduct}
 */
export async function captureOutputProducts(attempt: RunningAttempt, until: number | null): Promise<number> {
  const destination = join(productsDir(attempt), 'outputs');
  rmSync(destination, { recursive: true, force: true });
  attempt.report.withdrawOutputs();
  const captured = await captureOutputs(attempt.handle, {
    destination,
    maxFileBytes: limits.outputFileBytes,
    maxEntries: limits.outputEntries,
    ...bounds(attempt, until),
  });
  for (const warning of captured.warnings) attempt.report.warn(warning);
  const leaks: string[] = [];
  const outputs = [];
  for (const { path, file, hash, size } of captured.outputs) {
    const inside = join(destination, file);
    const leak = attempt.scanner.find(Buffer.from(path)) ?? (await attempt.scanner.findInFile(inside));
    if (leak !== null) {
      rmSync(inside, { force: true });
      leaks.push(leakText(`output ${quotePath(path)}`, leak.secret));
      continue;
    }
    outputs.push({ path, ref: hash, size });
    attempt.report.file({ file: `outputs/${file}`, ref: hash, size });
  }
  if (outputs.length > 0) attempt.report.facts({ outputs });
  if (leaks.length > 0) throw new PalisadeError('credential_in_text', leaks.slice(0, 5).join('; '));
  return outputs.length;
}

function checksItself({ pipeline, verify }: RunningAttempt['spec']): boolean {
  return pipeline.length === 0
    ? verify !== undefined
    : pipeline.some((block) => block.kind === 'script' && block.lens === 'verify');
}

/** Changes that lie on top of overlaid files and cannot be part of the patch; kept for people. */
async function keepConflicts(attempt: RunningAttempt, path: string): Promise<void> {
  const ref = await hashFile(path);
  attempt.report.facts({ conflicts_ref: ref });
  attempt.report.file({ file: basename(path), ref, size: statSync(path).size });
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
    (await leakInFiles(attempt, captured));
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

async function leakInFiles(attempt: RunningAttempt, captured: CapturedPatch): Promise<string | null> {
  if (attempt.scanner.isIdle) return null;
  for (const file of captured.files) {
    if (file.newMode === null) continue;
    const fd = openSafely(attempt.handle.directory, pathBytes(file.path));
    if (fd === null) continue;
    const found = await attempt.scanner.findInOpenFile(fd);
    if (found !== null) return leakText(quotePath(file.path), found.secret);
  }
  return null;
}

function leakText(where: string, secret: string): string {
  return `${where} holds the value of the secret ${secret}; the product is withheld`;
}

function bounds(attempt: RunningAttempt, until: number | null): { timeoutMs: number; signal?: AbortSignal } {
  return until === null
    ? { timeoutMs: Math.min(limits.captureMs, attempt.stop.remainingMs()), signal: attempt.stop.signal }
    : { timeoutMs: Math.max(1, until - Date.now()) };
}

function productsDir(attempt: RunningAttempt): string {
  const dir = join(attempt.attemptDir, ATTEMPT_FILES.products);
  if (statSync(dir, { throwIfNoEntry: false }) === undefined) mkdirSync(dir, { mode: 0o755 });
  return dir;
}
