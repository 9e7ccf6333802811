import {
  type Authorization,
  type Authorizer,
  type InputIssue,
  limits,
  letsThrough,
  PalisadeError,
} from '@palisade/contracts';
import type { FrozenItem, ItemTemplate } from '../plans/frozen-plan.ts';
import { askAuthorizer } from './ask-authorizer.ts';
import { UNAPPROVED, verdictOfNobody } from './effect-gate.ts';

/** Who is asked whether something may be done. */
export interface Authority {
  readonly authorizer: Authorizer;
  /** How long they may think, ms. */
  readonly timeoutMs: number;
  /** How long they are asked again about one attempt while they fail, ms. */
  readonly patienceMs: number;
}

/** Items that somebody wants to be admitted. */
export interface Wanted {
  readonly runId: string;
  readonly actor: string;
  readonly items: readonly FrozenItem[];
  /** Whether an item that is not among these is decided by a person. */
  readonly isApproval?: (id: string) => boolean;
}

/** Work that may come to be done, and whether a person can have approved it by then. */
interface Work {
  readonly id: string;
  readonly place: string;
  readonly work: ItemTemplate;
  readonly isApprovable: boolean;
}

/**
 * Refuses items, or templates of what they may grow into, that would not be let through (DI-194, DI-204): told now,
 * not in the middle of the run. Each attempt is asked about again.
 *
 * @throws PalisadeError `policy_denied` with every denial in `issues`; what {@link askAuthorizer} raises
 */
export async function authorizeItems(authority: Authority | undefined, wanted: Wanted): Promise<void> {
  const works = worksOf(wanted);
  const issues: InputIssue[] = [];
  for (let start = 0; start < works.length; start += limits.authorizeAtOnce) {
    const some = works.slice(start, start + limits.authorizeAtOnce);
    const faults = await Promise.all(some.map((each) => faultOf(authority, wanted, each)));
    faults.forEach((message, i) => {
      const path = some[i]?.place ?? 'items';
      if (message !== null) issues.push({ path, message });
    });
  }
  const [first] = issues;
  if (first === undefined) return;
  throw new PalisadeError('policy_denied', `${first.path}: ${first.message}`, {
    ...(issues.length === 1 ? {} : { why: `${issues.length} items and templates are not let through` }),
    next: 'change the plan, or ask whoever keeps the policy of this installation',
    issues,
  });
}

/** Why a work would not be let through, or null. */
async function faultOf(
  authority: Authority | undefined,
  { runId, actor }: Wanted,
  { id, work: { shape }, isApprovable }: Work,
): Promise<string | null> {
  const effect = shape?.effect ?? 'unknown';
  const at = Date.now();
  const request = { phase: 'submit', runId, itemId: id, actor, effect, at } as const;
  const verdict =
    authority === undefined
      ? verdictOfNobody(actor)
      : await askAuthorizer(
          authority.authorizer,
          { ...request, ...(shape === undefined ? {} : { shape: shape.id }) },
          authority.timeoutMs,
        );
  const authorization: Authorization = {
    ...verdict,
    effect,
    at,
    ...(isApprovable ? { approved_by: id } : {}),
  };
  if (letsThrough(authorization)) return null;
  return verdict.verdict === 'deny' ? (verdict.reason ?? 'the authorizer denies it') : UNAPPROVED;
}

/** Every program of the items and of their templates. */
function worksOf({ items, isApproval = () => false }: Wanted): Work[] {
  const own = new Set(items.flatMap(({ id, approval }) => (approval === undefined ? [] : [id])));
  return items.flatMap((item, i) => {
    if (item.approval !== undefined) return [];
    const place = `items[${i}]`;
    const isApprovable = item.dependsOn.some((id) => own.has(id) || isApproval(id));
    return [
      { id: item.id, place, work: item, isApprovable },
      ...templatesOf(item).map(({ name, ...template }) => ({
        id: `${item.id}:${name}`,
        place: `${place}.inputs.${name}`,
        ...template,
      })),
    ];
  });
}

function templatesOf({ growth }: FrozenItem) {
  const some = (name: string, work: ItemTemplate | undefined, isApprovable = false) =>
    work === undefined || work.approval !== undefined ? [] : [{ name, work, isApprovable }];
  switch (growth?.kind) {
    case 'gate':
      return some('gate.fixTemplate', growth.fix);
    case 'map-reduce':
      return [...some('mapReduce.map', growth.map), ...some('mapReduce.reduce', growth.reduce)];
    case 'spawn':
      return [...some('spawn.template', growth.template), ...some('spawn.join', growth.join)];
    case 'quorum':
      return [
        ...growth.reviewers.flatMap((reviewer, i) => some(`quorum.reviewers[${i}]`, reviewer)),
        // It waits for whoever approved.
        ...some(
          'quorum.commit',
          growth.commit,
          growth.reviewers.some(({ approval }) => approval !== undefined),
        ),
        ...some('quorum.fixTemplate', growth.fix),
      ];
    default:
      return [];
  }
}
