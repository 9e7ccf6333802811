import { type InputIssue, nearest, type Notification, type Plan } from '@palisade/contracts';
import { invalidPlan } from './invalid-plan.ts';
import type { PlanDeps } from './plan-deps.ts';

/** The notifications of a plan, whose endpoints all exist now; `invalid_plan` names each that does not. */
export async function freezeNotifications(
  { database, notifications: port }: Pick<PlanDeps, 'database' | 'notifications'>,
  project: string,
  { notifications = [] }: Plan,
): Promise<readonly Notification[]> {
  if (notifications.length === 0) return [];
  const known = await database.read((tx) => port.endpoints(tx, project));
  const issues = notifications.flatMap(({ endpoint }, i): InputIssue[] => {
    if (known.includes(endpoint)) return [];
    const meant = nearest(endpoint, known);
    const help = meant === undefined ? 'pal webhook set makes one' : `the nearest is "${meant}"`;
    return [
      {
        path: `notifications[${i}].endpoint`,
        message: `there is no webhook endpoint "${endpoint}"; ${help}`,
      },
    ];
  });
  if (issues.length === 0) return notifications;
  throw invalidPlan(issues);
}
