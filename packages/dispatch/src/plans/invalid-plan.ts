import { type InputIssue, PalisadeError } from '@palisade/contracts';

/** `invalid_plan` with everything that is wrong with a plan, each with its place (DI-163). */
export function invalidPlan(issues: readonly InputIssue[], next?: string): PalisadeError {
  return new PalisadeError(
    'invalid_plan',
    `the plan has ${issues.length === 1 ? 'a problem' : `${issues.length} problems`}`,
    { issues, ...(next === undefined ? {} : { next }) },
  );
}
