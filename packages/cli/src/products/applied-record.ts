import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import type { AppliedRecord, ApplyPlan } from '@palisade/workspace';
import { errorName } from '../read-input.ts';

type AppliedFile = ApplyPlan['files'][number];

/** One application of some items of a run. Later ones may rest on it, so they are taken back before it. */
export interface AppliedStep {
  readonly items: readonly string[];
  readonly record: AppliedRecord;
  /** Of the call that applied it: the same call again gets the same answer. */
  readonly key?: string;
  readonly answer?: AppliedAnswer;
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
  readonly schema_version: 2;
  readonly steps: readonly AppliedStep[];
}

/** Where what was applied of a run is remembered, so that it can be taken back. */
export function recordFile(projectDirectory: string, run: string): string {
  return join(projectDirectory, '.palisade', 'applied', `${run}.json`);
}

/** Stores the record; written before the files change, so that even a killed application can be reverted. */
export function storeSteps(projectDirectory: string, run: string, steps: readonly AppliedStep[]): string {
  const file = recordFile(projectDirectory, run);
  mkdirSync(join(projectDirectory, '.palisade', 'applied'), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, JSON.stringify({ schema_version: 2, steps } satisfies AppliedRun), {
    flag: 'wx',
    mode: 0o600,
    flush: true,
  });
  renameSync(temporary, file);
  return file;
}

/** What of the run is applied here, oldest first; empty when nothing is. `integrity_mismatch` for a damaged record. */
export function readSteps(projectDirectory: string, run: string): readonly AppliedStep[] {
  const file = recordFile(projectDirectory, run);
  try {
    const found = JSON.parse(readFileSync(file, 'utf8')) as Partial<AppliedRun>;
    if (found.schema_version !== 2 || !Array.isArray(found.steps)) throw new Error('unknown form');
    return found.steps;
  } catch (error) {
    if (errorName(error) === 'ENOENT') return [];
    throw new PalisadeError('integrity_mismatch', `the record ${file} cannot be read`, { cause: error });
  }
}

/** Keeps these steps, or forgets the run when none is left. */
export function keepSteps(projectDirectory: string, run: string, steps: readonly AppliedStep[]): void {
  if (steps.length > 0) storeSteps(projectDirectory, run, steps);
  else rmSync(recordFile(projectDirectory, run), { force: true });
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
