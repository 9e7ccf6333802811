import {
  APPROVAL_EXECUTOR,
  type InputIssue,
  isAnswerKey,
  type PlanItem,
  type ReviewerTemplate,
} from '@palisade/contracts';

/** Members of an item that say what a program does; where a person decides there is none. */
const OF_PROGRAMS = [
  'shape',
  'agent',
  'command',
  'run',
  'prompt',
  'model',
  'resourceLocks',
  'verify',
  'retry',
  'timeout_seconds',
  'sandbox',
  'channel',
] as const;

/**
 * True for an item, or a reviewer, that is a decision of a person (DI-192). Reports what such a one may not have: it runs nothing, holds
 * nothing, and shows what its `needs` and `inputRefs` name.
 */
export function isApproval(
  item: PlanItem | ReviewerTemplate,
  at: string,
  items: readonly PlanItem[],
  issues: InputIssue[],
): boolean {
  const { approval } = item;
  if ((item.executor === APPROVAL_EXECUTOR) !== (approval !== undefined)) {
    issues.push({
      path: `${at}.${approval === undefined ? 'approval' : 'executor'}`,
      message: `executor "${APPROVAL_EXECUTOR}" and approval come together`,
    });
    return true;
  }
  if (approval === undefined) return false;
  for (const member of OF_PROGRAMS)
    if (item[member] !== undefined)
      issues.push({ path: `${at}.${member}`, message: 'an item that a person decides runs no program' });
  for (const member of Object.keys(item.inputs ?? {}))
    if (member !== 'inputRefs')
      issues.push({
        path: `${at}.inputs.${member}`,
        message: 'an item that a person decides runs no program',
      });
  for (const [key, need] of Object.entries('needs' in item ? (item.needs ?? {}) : {}))
    if (need.apply === true)
      issues.push({ path: `${at}.needs.${key}.apply`, message: 'what a person decides has no workspace' });
  if (approval.on_expiry !== undefined && approval.expires_seconds === undefined)
    issues.push({ path: `${at}.approval.on_expiry`, message: 'says what expiry does: give expires_seconds' });
  const needsPeople = approval.four_eyes === true || (approval.distinct_from ?? []).length > 0;
  if (approval.on_expiry === 'approve' && needsPeople)
    issues.push({
      path: `${at}.approval.on_expiry`,
      message: 'nobody would have approved it, and it asks for certain people',
    });
  (approval.distinct_from ?? []).forEach((id, i) => {
    const other = items.find((each) => each.id === id);
    if (other?.approval === undefined || ('id' in item && id === item.id))
      issues.push({
        path: `${at}.approval.distinct_from[${i}]`,
        message: `"${id}" is no other item of this plan that a person decides`,
      });
    else if (other.approval.on_expiry === 'approve')
      issues.push({
        path: `${at}.approval.distinct_from[${i}]`,
        message: `"${id}" is approved when nobody decides it: then there would be only one person`,
      });
  });
  return true;
}

/** Reports inputs that would take the place of an answer to a question of the item's agent. */
export function checkAnswerKeys(item: PlanItem, at: string, issues: InputIssue[]): void {
  const keys = [
    ...Object.keys(item.needs ?? {}).map((key) => ['needs', key] as const),
    ...Object.keys(item.inputs?.inputRefs ?? {}).map((key) => ['inputs.inputRefs', key] as const),
  ];
  for (const [place, key] of keys)
    if (isAnswerKey(key))
      issues.push({
        path: `${at}.${place}.${key}`,
        message: 'that name is kept for the answer to a question',
      });
}
