import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import type { AppliedRecord, ApplyPlan } from '@palisade/workspace';
import { errorName } from '../bounded-read.ts';

type AppliedFile = ApplyPlan['files'][number];

/*
 * Whoever changes a record holds the project's lock (apply-lock.ts) from reading it to writing it.
 */

/** One application of some items of a run. Later ones may rest on it, so they are taken back before it. */
export interface AppliedStep {
  readonly items: readonly string[];
  readonly record: Omit<AppliedRecord, 'patch'>;
  /** SHA-256 of the patch in hex; it lies in a file of its own beside the record. */
  readonly patch: string;
  /** Of the call that applied it, once it has: the same call again gets the same answer. */
  readonly answered?: { readonly key: string; readonly answer: AppliedAnswer };
}

/** What `pal apply` answers. */
export interface AppliedAnswer {
  readonly run_id: string;
  readonly applied: boolean;
  readonly items: readonly string[];
  readonly files: readonly AppliedFile[];
  readonly warnings: readonly string[];
  /** The file by which it can be taken back. */
  readonly record?: string;
}

/** What of a run is applied here, oldest first. */
interface AppliedRun {
  readonly schema_version: 3;
  readonly steps: readonly AppliedStep[];
}

function appliedFile(projectDirectory: string, name: string): string {
  return join(projectDirectory, '.palisade', 'applied', name);
}

/** Where what was applied of a run is remembered, so that it can be taken back. */
export function recordFile(projectDirectory: string, run: string): string {
  return appliedFile(projectDirectory, `${run}.json`);
}

function patchFile(projectDirectory: string, run: string, patch: string): string {
  return appliedFile(projectDirectory, `${run}.${patch}.patch`);
}

/**
 * Remembers one more step of a run before its files change, so that even a killed application can be
 * taken back. Gives the record's file.
 */
export function addStep(
  projectDirectory: string,
  run: string,
  items: readonly string[],
  { patch: bytes, ...record }: AppliedRecord,
): string {
  const patch = createHash('sha256').update(bytes).digest('hex');
  writeWhole(patchFile(projectDirectory, run, patch), bytes);
  const steps = [...readSteps(projectDirectory, run), { items, record, patch }];
  writeSteps(projectDirectory, run, steps);
  return recordFile(projectDirectory, run);
}

/** What of the run is applied here, oldest first; empty when nothing is. `integrity_mismatch` for a damaged record. */
export function readSteps(projectDirectory: string, run: string): readonly AppliedStep[] {
  const file = recordFile(projectDirectory, run);
  try {
    const found = JSON.parse(readFileSync(file, 'utf8')) as Partial<AppliedRun>;
    if (found.schema_version !== 3 || !Array.isArray(found.steps)) throw new Error('unknown form');
    return found.steps;
  } catch (error) {
    if (errorName(error) === 'ENOENT') return [];
    throw unreadable(file, error);
  }
}

/** A step's whole record. `integrity_mismatch` when its patch is not what was applied. */
export function recordOfStep(projectDirectory: string, run: string, step: AppliedStep): AppliedRecord {
  const file = patchFile(projectDirectory, run, step.patch);
  try {
    const patch = readFileSync(file);
    if (createHash('sha256').update(patch).digest('hex') !== step.patch) throw new Error('other content');
    return { ...step.record, patch };
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** Keeps what the call answered that applied the newest step of a run. */
export function answerStep(
  projectDirectory: string,
  run: string,
  answered: NonNullable<AppliedStep['answered']>,
): void {
  const steps = readSteps(projectDirectory, run);
  const newest = steps.at(-1);
  if (newest !== undefined)
    writeSteps(projectDirectory, run, [...steps.slice(0, -1), { ...newest, answered }]);
}

/** Forgets the newest step of a run. */
export function dropStep(projectDirectory: string, run: string): void {
  const steps = readSteps(projectDirectory, run);
  const kept = steps.slice(0, -1);
  if (kept.length > 0) writeSteps(projectDirectory, run, kept);
  else rmSync(recordFile(projectDirectory, run), { force: true });
  const dropped = steps.at(-1)?.patch;
  if (dropped !== undefined && !kept.some((step) => step.patch === dropped))
    rmSync(patchFile(projectDirectory, run, dropped), { force: true });
}

/** True when all of these items, or anything of the run when none are named, is applied here. For hints: a damaged record counts as applied. */
export function isApplied(projectDirectory: string, run: string, items: readonly string[] = []): boolean {
  try {
    const steps = readSteps(projectDirectory, run);
    const applied = new Set(steps.flatMap((step) => step.items));
    return steps.length > 0 && items.every((item) => applied.has(item));
  } catch {
    return true;
  }
}

function writeSteps(projectDirectory: string, run: string, steps: readonly AppliedStep[]): void {
  const record: AppliedRun = { schema_version: 3, steps };
  writeWhole(recordFile(projectDirectory, run), JSON.stringify(record));
}

function writeWhole(file: string, content: string | Uint8Array): void {
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, content, { mode: 0o600, flush: true });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function unreadable(file: string, cause: unknown): PalisadeError {
  return new PalisadeError('integrity_mismatch', `the record ${file} cannot be read`, { cause });
}
