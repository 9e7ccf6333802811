import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ATTEMPT_FILES, limits, PalisadeError, quotePath } from '@palisade/contracts';
import { captureOutputs, capturePatch } from '@palisade/workspace';
import { patchedPathAt } from '../redaction/patched-path.ts';
import type { RunningAttempt } from './context.ts';

const PATCH_FILE = 'patch';
/** How long an attempt that was stopped may still spend on saving what is there. */
export const PARTIAL_CAPTURE_MS = 30_000;

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
  if (captured.empty) {
    rmSync(patchPath, { force: true });
    return undefined;
  }
  await withholdSecrets(attempt, patchPath);
  const { bytes, files, added, deleted, hash } = captured;
  attempt.report.facts({ result_ref: hash, patch: { files, added, deleted, bytes } });
  attempt.report.file({ file: `${ATTEMPT_FILES.products}/${PATCH_FILE}`, ref: hash, size: bytes });
  return hash;
}

/**
 * Captures the regular files under `outputs/` (DI-116). An output that holds a secret is removed and
 * fails the capture; the others stay.
 */
export async function captureOutputProducts(attempt: RunningAttempt): Promise<void> {
  const destination = join(productsDir(attempt), 'outputs');
  rmSync(destination, { recursive: true, force: true });
  mkdirSync(destination, { recursive: true });
  const captured = await captureOutputs(attempt.handle, {
    destination,
    maxFileBytes: limits.outputFileBytes,
    maxEntries: limits.outputEntries,
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
    attempt.report.file({ file: `${ATTEMPT_FILES.products}/outputs/${file}`, ref: hash, size });
  }
  if (outputs.length > 0) attempt.report.facts({ outputs });
  if (leaks.length > 0) throw new PalisadeError('credential_in_text', leaks.slice(0, 5).join('; '));
}

async function withholdSecrets(attempt: RunningAttempt, patchPath: string): Promise<void> {
  const inPatch = await attempt.scanner.findInFile(patchPath);
  const leak =
    inPatch === null
      ? null
      : leakText(quotePath(await patchedPathAt(patchPath, inPatch.offset)), inPatch.secret);
  if (leak === null) return;
  rmSync(patchPath, { force: true });
  throw new PalisadeError('credential_in_text', leak);
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
