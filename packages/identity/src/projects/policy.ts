import { type Caller, PalisadeError, type PolicyFields } from '@palisade/contracts';

/** The names of the fields in which two policies differ. */
export function changedFields(before: PolicyFields, after: PolicyFields): string[] {
  return (Object.keys(after) as (keyof PolicyFields)[]).filter((field) => before[field] !== after[field]);
}

/**
 * A policy is people's to change; an agent may change `rules` alone, and only while the policy that holds already lets agents do it
 * (AC-072, AC-073): whether it does is never taken from what is asked for. Raises `operation_not_permitted`.
 */
export function assertMayChange(
  { kind, actor }: Caller,
  before: PolicyFields,
  changed: readonly string[],
): void {
  if (kind === 'human') return;
  const isRules = changed.length === 0 || (changed.length === 1 && changed[0] === 'rules');
  if (kind === 'agent' && before.agent_rule_editing && isRules) return;
  const [others] = [changed.filter((field) => field !== 'rules').join(', ')];
  throw new PalisadeError(
    'operation_not_permitted',
    others === '' ? 'the rules of this project are for people to change' : `only people change ${others}`,
    { why: `${actor} is no person`, next: 'have a person set the policy' },
  );
}
