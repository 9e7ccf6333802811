import type { FrozenItem } from '../plans/frozen-plan.ts';
import { grownName } from './grown-name.ts';
import type { GrowthRule, RunSight, SeenItem } from './growth-rule.ts';
import { findingsOf, isRed, reasonOf } from './item-end.ts';
import { makeItem, withInput } from './make-item.ts';
import { itemsToRepeat, present } from './items-to-repeat.ts';

/*
 * A gate that goes back (DI-201). Its red end makes a fix, which gets the subject's patch applied and what the gate
 * found, and a copy of everything that has to be done again on the fix; every copy stands in for what it
 * repeats. A copied gate is a gate again, whose subject is the fix, so patches accumulate round by round. How many
 * fixes a gate gets is counted over all its copies. Nothing is made when an item of its line was canceled.
 */

export const gateRule: GrowthRule = (owner, ended, run) => {
  const { growth } = owner;
  if (growth?.kind !== 'gate' || ended.item.id !== owner.id || !isRed(ended.facts)) return null;
  const { fix, subject } = growth;
  if (growth.onRed !== 'spawn-fix' || fix === undefined || subject === undefined) return null;
  // What a copy stands in for already is judged by its copy.
  if (ended.facts.settledBy !== null) return null;
  const base = baseOf(owner);
  const source = run.find(subject);
  if (source?.facts.state !== 'done' || hasCanceled(base, run)) return null;
  const n = fixesOf(base, run) + 1;
  if (n > growth.maxFixAttempts) return null;
  const fixId = freeFixId(base, n, run);
  const repeated = itemsToRepeat(ended, source, run);
  const renamed = new Map([
    [subject, fixId],
    ...repeated.map(({ item }): [string, string] => [item.id, copyId(baseOf(item), run).id]),
  ]);
  const items = [
    fixItem(owner, ended, source.item, fixId),
    ...repeated.map(({ item }) => copyOf(item, renamed, owner, run)),
  ];
  const settles = repeated.map(({ item }) => ({ item: item.id, by: renamed.get(item.id) ?? item.id }));
  return { items, settles };
};

/** What an item repeats, or itself. */
function baseOf(item: FrozenItem): string {
  return item.repeats?.item ?? item.id;
}

/** The next free id of a repetition, and its round. */
function copyId(base: string, run: RunSight): { readonly id: string; readonly round: number } {
  for (let round = 2; ; round++) {
    const id = grownName(base, `~${round}`);
    if (run.find(id) === undefined) return { id, round };
  }
}

/** Fixes made for a gate and its copies so far. */
function fixesOf(base: string, run: RunSight): number {
  let fixes = 0;
  for (let k = 1; ; k++) {
    const found = run.find(grownName(base, `-fix-${k}`));
    if (found === undefined) return fixes;
    const by = found.item.grownBy === undefined ? undefined : run.find(found.item.grownBy);
    if (by?.item.growth?.kind === 'gate' && baseOf(by.item) === base) fixes++;
  }
}

function freeFixId(base: string, from: number, run: RunSight): string {
  for (let n = from; ; n++) {
    const id = grownName(base, `-fix-${n}`);
    if (run.find(id) === undefined) return id;
  }
}

/** Whether somebody canceled the gate, one of its copies or one of its fixes. */
function hasCanceled(base: string, run: RunSight): boolean {
  const isCanceled = (seen: SeenItem | undefined): boolean => seen?.facts.state === 'canceled';
  if (isCanceled(run.find(base))) return true;
  for (const part of ['~', '-fix-'])
    for (let n = part === '~' ? 2 : 1; ; n++) {
      const seen = run.find(grownName(base, `${part}${n}`));
      if (seen === undefined) break;
      if (isCanceled(seen)) return true;
    }
  return false;
}

function fixItem(owner: FrozenItem, gate: SeenItem, subject: FrozenItem, id: string): FrozenItem {
  const fix = owner.growth?.kind === 'gate' ? owner.growth.fix : undefined;
  if (fix === undefined) throw new Error(`gate ${owner.id} has no template of a fix`);
  const work = { key: 'work', from: subject.id, select: { kind: 'patch' as const }, apply: true };
  const place = { id, dependsOn: [subject.id], needs: [work], grownBy: owner.id };
  const findings = findingsOf(gate.facts.product);
  if (findings === undefined) return makeItem(withInput(fix, { gateReason: reasonOf(gate) }), place);
  // Nothing may wait for an item that failed: what it found is named by its address.
  if (gate.facts.state !== 'done')
    return makeItem({ ...fix, inputRefs: [...fix.inputRefs, { key: 'findings', ref: findings.ref }] }, place);
  const found = {
    key: 'findings',
    from: owner.id,
    select: { kind: 'output' as const, path: findings.path },
  };
  return makeItem(fix, { ...place, dependsOn: [subject.id, owner.id], needs: [work, found] });
}

/** The same item once more: whatever it has to do with is the fix's or another copy's now, also one of an earlier round. */
function copyOf(
  item: FrozenItem,
  renamed: ReadonlyMap<string, string>,
  owner: FrozenItem,
  run: RunSight,
): FrozenItem {
  const now = (id: string): string => {
    const seen = run.find(id);
    const latest = renamed.has(id) || seen === undefined ? id : present(seen, run).item.id;
    return renamed.get(latest) ?? latest;
  };
  const base = baseOf(item);
  const { id, round } = copyId(base, run);
  const { growth, approval } = item;
  return {
    ...item,
    id,
    dependsOn: [...new Set(item.dependsOn.map(now))],
    needs: item.needs.map((need) => ({ ...need, from: now(need.from) })),
    ...(growth?.kind === 'gate' && growth.subject !== undefined
      ? { growth: { ...growth, subject: now(growth.subject) } }
      : {}),
    // Two people stay two people: the other approval is the one of this round.
    ...(approval === undefined
      ? {}
      : {
          approval: {
            ...approval,
            distinctFrom: approval.distinctFrom.flatMap((id) => [...new Set([id, now(id)])]),
          },
        }),
    grownBy: owner.id,
    repeats: { item: base, round },
  };
}
