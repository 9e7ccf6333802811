import {
  type Authorizer,
  type AuthorizerAnswer,
  type EffectClass,
  type InputIssue,
  limits,
  needsApproval,
  PalisadeError,
} from '@palisade/contracts';
import type { FrozenItem, ItemTemplate } from '../plans/frozen-plan.ts';
import { askAuthorizer } from './ask-authorizer.ts';
import { denialOf, verdictOfNobody } from './effect-gate.ts';

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
 * not in the middle of the run. Each attempt is asked about again. Returns the items and templates that nobody but a person can
 * let through, by name.
 *
 * @throws PalisadeError `policy_denied` with every denial in `issues`; what {@link askAuthorizer} raises
 */
export async function authorizeItems(authority: Authority | undefined, wanted: Wanted): Promise<string[]> {
  const works = worksOf(wanted);
  const issues: InputIssue[] = [];
  const unapproved: string[] = [];
  for (let start = 0; start < works.length; start += limits.authorizeAtOnce) {
    const some = works.slice(start, start + limits.authorizeAtOnce);
    const decisions = await Promise.all(some.map((each) => decide(authority, wanted, each)));
    for (const [i, { id, place, isApprovable }] of some.entries()) {
      const decision = decisions[i];
      if (decision === undefined || (decision.verdict !== 'deny' && !needsApproval(decision))) continue;
      if (decision.verdict !== 'deny' && isApprovable) unapproved.push(id);
      else issues.push({ path: place, message: denialOf(decision) });
    }
  }
  const [first] = issues;
  if (first === undefined) return unapproved;
  throw new PalisadeError('policy_denied', `${first.path}: ${first.message}`, {
    ...(issues.length === 1 ? {} : { why: `${issues.length} items and templates are not let through` }),
    next: 'change the plan, or ask whoever keeps the policy of this installation',
    issues,
  });
}

/** What is decided about a work as far as it can be before it is to be fired. */
async function decide(
  authority: Authority | undefined,
  { runId, actor }: Wanted,
  { id, work: { shape } }: Work,
): Promise<AuthorizerAnswer & { readonly effect: EffectClass }> {
  const effect = shape?.effect ?? 'unknown';
  if (authority === undefined) return { ...verdictOfNobody(actor), effect };
  const request = { phase: 'submit', runId, itemId: id, actor, effect, at: Date.now() } as const;
  const answer = await askAuthorizer(
    authority.authorizer,
    { ...request, ...(shape === undefined ? {} : { shape: shape.id }) },
    authority.timeoutMs,
  );
  return { ...answer, effect };
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
