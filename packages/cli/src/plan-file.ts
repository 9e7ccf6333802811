import type { InputIssue, PlanItem } from '@palisade/contracts';
import type { Invocation } from './invocation.ts';
import { foreignLine, foreignName } from './output/foreign-text.ts';
import { emit } from './output/format.ts';
import { count } from './output/time.ts';
import { parseJson, readInput } from './read-input.ts';
import { shellWords } from '@palisade/contracts/shell-words';

/** A plan that passed every check that needs no control plane. */
export interface CheckedPlan {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly pattern?: 'static-dag' | 'pipeline' | undefined;
  readonly open_ended?: boolean | undefined;
  readonly max_items?: number | undefined;
  readonly items: readonly PlanItem[];
}

/** A line for each thing that is allowed and will hardly be what the author means. */
export function warningRows(warnings: readonly InputIssue[]): string[] {
  return warnings.map(({ path, message }) => `warn     ${foreignLine(path)}: ${foreignLine(message)}`);
}

/** What to do about a plan that is invalid. */
export function planAgain(file: string): string {
  return file === '-'
    ? 'correct what is given, and repeat the command'
    : `correct ${file}, and check it: pal plan validate ${shellWords([file])}`;
}

/** Exit code of an invalid plan, whichever command finds it: that of `invalid_plan`. */
export const INVALID_PLAN_EXIT = 2;

/**
 * Reads and checks a plan without a control plane (DI-261). Undefined when it has problems; they are
 * printed then, each with its place, as the answer of the command.
 */
export async function readPlan(
  invocation: Invocation,
  file: string,
): Promise<(CheckedPlan & { readonly warnings: readonly InputIssue[] }) | undefined> {
  const document = parseJson(await readInput(invocation, file), file, 'invalid_plan');
  const { OWN_SHAPES, validatePlanShape } = await import('@palisade/server');
  const checked = validatePlanShape(document, OWN_SHAPES);
  if (checked.ok) return { ...checked.plan, warnings: checked.warnings };
  const { issues } = checked;
  emit(invocation, {
    json: { ok: false, items: 0, issues },
    records: issues,
    ids: issues.map((issue) => issue.path),
    text: () => [
      ...issues.map((issue) => `fail     ${foreignLine(issue.path)}: ${foreignLine(issue.message)}`),
      `${count(issues.length, 'problem')} in ${foreignName(file)}`,
    ],
  });
  invocation.hint(planAgain(file));
  return undefined;
}
