import { ITEM_TERMINAL } from '@palisade/contracts';
import type { FrozenItem } from '../plans/frozen-plan.ts';
import { grownName } from './grown-name.ts';
import type { Grown, GrowthRefused, GrowthRule, RunSight, SeenItem } from './growth-rule.ts';
import { endedWell, findingsOf, reasonOf } from './item-end.ts';
import { makeItem, withInput } from './make-item.ts';

/*
 * A subject and its reviewers (DI-203). Its good end makes the reviewers. Every end of one of them is looked at: with
 * enough approvals the commit is made, and it stands in for the reviewers who did not approve; as soon as there
 * cannot be enough any more, the round is rejected. A reviewer may be a person, whom programs cannot outvote: without the approval of
 * every one of them there is no commit, and one who denies ends the round. Each has to be another person. Who is still asked when a
 * round is rejected is asked no more. Then the run fails, or a fix is made that gets the subject's patch
 * and what reviewers found, and the fix is the subject of the next round. A reviewer that was canceled makes nothing.
 */

type Quorum = Extract<NonNullable<FrozenItem['growth']>, { readonly kind: 'quorum' }>;

export const quorumRule: GrowthRule = (owner, ended, run) => {
  if (owner.growth?.kind !== 'quorum') return null;
  const { growth } = owner;
  if (ended.item.id === owner.id) return review(owner, growth, ended);
  const reviewers = growth.reviewers.map((_, i) => run.find(reviewerId(owner, i)));
  const round = reviewers.filter(
    (seen) => seen !== undefined && seen.item.grownBy === owner.id,
  ) as SeenItem[];
  if (!round.some(({ item }) => item.id === ended.item.id)) return null;
  const approvals = round.filter(({ facts }) => endedWell(facts));
  const open = round.filter(({ facts }) => !ITEM_TERMINAL.has(facts.state));
  const people = round.filter(({ item }) => item.approval !== undefined);
  const isMissing = people.some((seen) => !approvals.includes(seen));
  const isDenied = people.some((seen) => !approvals.includes(seen) && !open.includes(seen));
  if (approvals.length >= growth.threshold && !isMissing) return accept(owner, growth, round, approvals, run);
  if (approvals.length + open.length >= growth.threshold && !isDenied) return null;
  return reject(owner, growth, round, approvals, run);
};

function reviewerId(owner: FrozenItem, i: number): string {
  return grownName(owner.id, `::rev-${i + 1}`);
}

function review(owner: FrozenItem, growth: Quorum, { facts }: SeenItem): Grown | GrowthRefused | null {
  if (facts.state !== 'done') return null;
  if (facts.product?.result_ref === undefined)
    return { refused: `${owner.id} left no patch: there is nothing to review` };
  // They work on what the patch was made on.
  const base = owner.needs
    .filter((need) => need.apply === true)
    .map((need, i) => ({ ...need, key: `base-${i + 1}` }));
  const people = growth.reviewers.flatMap(({ approval }, i) =>
    approval === undefined ? [] : [reviewerId(owner, i)],
  );
  const items = growth.reviewers.map((reviewer, i) => {
    const id = reviewerId(owner, i);
    const { approval } = reviewer;
    // A person has no workspace that a patch could be applied to.
    const on = approval === undefined ? base : [];
    const item = makeItem(reviewer, {
      id,
      dependsOn: [owner.id, ...new Set(on.map(({ from }) => from))],
      needs: [{ key: 'work', from: owner.id, select: { kind: 'patch' } }, ...on],
      grownBy: owner.id,
    });
    if (approval === undefined) return item;
    const others = people.filter((other) => other !== id);
    return { ...item, approval: { ...approval, distinctFrom: [...approval.distinctFrom, ...others] } };
  });
  return { items, settles: [] };
}

function accept(
  owner: FrozenItem,
  { commit }: Quorum,
  round: readonly SeenItem[],
  approvals: readonly SeenItem[],
  run: RunSight,
): Grown | null {
  const id = commit === undefined ? owner.id : grownName(owner.id, '::commit');
  const settles = round
    .filter((seen) => !approvals.includes(seen) && seen.facts.settledBy === null)
    .map(({ item }) => ({ item: item.id, by: id }));
  if (commit === undefined) return settles.length === 0 ? null : { items: [], settles };
  if (run.find(id) !== undefined) return null;
  const item = makeItem(commit, {
    id,
    dependsOn: [owner.id, ...approvals.map((seen) => seen.item.id)],
    needs: [
      { key: 'work', from: owner.id, select: { kind: 'patch' }, apply: true },
      ...recordsOf(approvals, 'approval'),
    ],
    grownBy: owner.id,
  });
  return { items: [item], settles };
}

function reject(
  owner: FrozenItem,
  growth: Quorum,
  round: readonly SeenItem[],
  approvals: readonly SeenItem[],
  run: RunSight,
): Grown | GrowthRefused | null {
  const rejections = round.filter((seen) => ITEM_TERMINAL.has(seen.facts.state) && !approvals.includes(seen));
  const isDecided = rejections.some(({ facts }) => facts.growthFault !== null || facts.settledBy !== null);
  if (isDecided || rejections.some(({ facts }) => facts.state === 'canceled')) return null;
  const done = rejections.filter(({ facts }) => facts.state === 'done');
  const rounds = roundsOf(owner, run);
  const { fix } = growth;
  if (growth.onReject === 'block' || fix === undefined || rounds > growth.maxRounds)
    return {
      refused: `${whyNot(growth, round, approvals)}${rounds > 1 ? `, in round ${rounds}` : ''}`,
      ...withdrawn(round),
    };
  const base = owner.repeats?.item ?? owner.id;
  let n = 1;
  while (run.find(grownName(base, `-fix-${n}`)) !== undefined) n++;
  const told = {
    round: rounds + 1,
    rejections: rejections.map((seen) => ({ reviewer: seen.item.id, reason: reasonOf(seen) })),
  };
  const findings = rejections.flatMap(({ item, facts }) => {
    const found = facts.state === 'done' ? undefined : findingsOf(facts.product);
    return found === undefined ? [] : [{ key: keyOf('findings', item), ref: found.ref }];
  });
  const template = withInput(fix, told);
  const item = makeItem(
    { ...template, inputRefs: [...template.inputRefs, ...findings] },
    {
      id: grownName(base, `-fix-${n}`),
      dependsOn: [owner.id, ...done.map((seen) => seen.item.id)],
      needs: [
        { key: 'work', from: owner.id, select: { kind: 'patch' }, apply: true },
        ...recordsOf(done, 'findings'),
      ],
      growth,
      grownBy: owner.id,
      repeats: { item: base, round: rounds + 1 },
    },
  );
  const settles = round
    .filter((seen) => !approvals.includes(seen))
    .map((seen) => ({ item: seen.item.id, by: item.id }));
  return { items: [item], settles, ...withdrawn(round) };
}

function whyNot({ threshold }: Quorum, round: readonly SeenItem[], approvals: readonly SeenItem[]): string {
  const denied = round.find(
    (seen) =>
      seen.item.approval !== undefined && ITEM_TERMINAL.has(seen.facts.state) && !approvals.includes(seen),
  );
  const [first] = round;
  if (denied !== undefined) return `${denied.item.id} was not approved, which is a person's to do`;
  return `${approvals.length} of ${round.length} reviewers approved ${first?.item.grownBy}, and ${threshold} have to`;
}

/** Nobody has to decide any more what was to be decided in this round. */
function withdrawn(round: readonly SeenItem[]): { readonly withdraws?: readonly string[] } {
  const asked = round.filter(
    ({ item, facts }) => item.approval !== undefined && !ITEM_TERMINAL.has(facts.state),
  );
  return asked.length === 0 ? {} : { withdraws: asked.map(({ item }) => item.id) };
}

/** Which round of reviews this subject is in, from 1: a fix is the next round of the subject it was made for. */
function roundsOf(owner: FrozenItem, run: RunSight): number {
  let rounds = 1;
  for (let item = owner; item.growth?.kind === 'quorum' && item.grownBy !== undefined; rounds++) {
    const before = run.find(item.grownBy)?.item;
    if (before?.growth?.kind !== 'quorum') break;
    item = before;
  }
  return rounds;
}

/** What done reviewers left to be read: their findings, or the record of an approval (DI-192). */
function recordsOf(reviewers: readonly SeenItem[], what: 'findings' | 'approval'): FrozenItem['needs'] {
  return reviewers.flatMap(({ item, facts }) => {
    // A program may leave a file of any name: only what a person decided is a record.
    const output =
      what === 'findings'
        ? findingsOf(facts.product)
        : item.approval === undefined
          ? undefined
          : facts.product?.outputs?.find(({ path }) => path === 'approval' || path === 'approval.json');
    if (output === undefined) return [];
    const select = { kind: 'output' as const, path: output.path };
    return [{ key: keyOf(what, item), from: item.id, select }];
  });
}

/** `findings-1` of `<subject>::rev-1`. */
function keyOf(what: string, reviewer: FrozenItem): string {
  return `${what}-${/\d+$/.exec(reviewer.id)?.[0] ?? '0'}`;
}
