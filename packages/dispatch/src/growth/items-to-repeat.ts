import { ITEM_TERMINAL } from '@palisade/contracts';
import type { RunSight, SeenItem } from './growth-rule.ts';
import { endedWell } from './item-end.ts';

/*
 * What a fix makes necessary once more (DI-201):
 *
 * - the gate that was red, and every other gate about the same subject, or about what is repeated: its verdict is
 *   about work that is not what it was;
 * - what cannot start because of one of these that is not green;
 * - what lies between the subject and any of them: it was made of that work.
 *
 * What used a gate's own outputs has run, and is not among it, nor is what somebody canceled. An item that was
 * repeated before is present as its latest copy.
 */

type Seen = Map<string, SeenItem>;

export function itemsToRepeat(gate: SeenItem, subject: SeenItem, run: RunSight): readonly SeenItem[] {
  const gates: Seen = new Map([[gate.item.id, gate]]);
  let judged: readonly SeenItem[] = [subject];
  // What is repeated may be what another gate is about: until none is left.
  for (;;) {
    for (const [id, other] of gatesAbout(judged, run)) gates.set(id, other);
    const wanted: Seen = new Map([...gates, ...blockedBehind(gates, run)]);
    const all = [...between(subject.item.id, wanted, run), ...wanted.values()];
    const isComplete = [...gatesAbout(all, run).keys()].every((id) => gates.has(id));
    if (isComplete) return all;
    judged = all;
  }
}

/** Follows an item to the copy that stands in for it now, as far as one repeats it. */
export function present(first: SeenItem, run: RunSight): SeenItem {
  const base = first.item.repeats?.item ?? first.item.id;
  for (let seen = first; ; ) {
    const { settledBy } = seen.facts;
    const next = settledBy === null ? undefined : run.find(settledBy);
    if (next === undefined || next.item.repeats?.item !== base) return seen;
    seen = next;
  }
}

function isRepeatable({ facts }: SeenItem): boolean {
  return facts.state !== 'canceled' && facts.state !== 'denied' && facts.settledBy === null;
}

/** Gates that judge one of these, wherever behind them they are. */
function gatesAbout(subjects: readonly SeenItem[], run: RunSight): Seen {
  const ids = new Set(subjects.map(({ item }) => item.id));
  const found: Seen = new Map();
  const visited = new Set<string>();
  const line = [...ids];
  for (let next = line.pop(); next !== undefined; next = line.pop()) {
    for (const after of run.dependents(next)) {
      if (visited.has(after.item.id)) continue;
      visited.add(after.item.id);
      line.push(after.item.id);
      const gate = present(after, run);
      const { growth, id } = gate.item;
      if (growth?.kind !== 'gate' || growth.onRed !== 'spawn-fix') continue;
      if (growth.subject !== undefined && ids.has(growth.subject) && isRepeatable(gate)) found.set(id, gate);
    }
  }
  return found;
}

/** What waits for a gate that is not green and cannot start any more, to the end. */
function blockedBehind(gates: Seen, run: RunSight): Seen {
  const blocked: Seen = new Map([...gates].filter(([, { facts }]) => !endedWell(facts)));
  const line = [...blocked.keys()];
  for (let next = line.pop(); next !== undefined; next = line.pop()) {
    for (const direct of run.dependents(next)) {
      const after = present(direct, run);
      const { item, facts } = after;
      const mayRun = facts.state === 'pending' || facts.state === 'skipped';
      if (!mayRun || blocked.has(item.id) || !isRepeatable(after) || !isBlocked(after, blocked, run))
        continue;
      blocked.set(item.id, after);
      // A copy that is as young as this unit of work has no dependents yet; those of what it repeats have copies.
      line.push(item.id, direct.item.id);
    }
  }
  return blocked;
}

function isBlocked({ item }: SeenItem, blocked: Seen, run: RunSight): boolean {
  const uses = (id: string): boolean => item.needs.some((need) => need.from === id);
  if (item.atLeastDone === undefined)
    return item.dependsOn.some((id) => {
      const by = blocked.get(id);
      // A red gate lets those go on that use what it left.
      return by !== undefined && !(by.facts.state === 'done' && uses(id));
    });
  const lost = item.dependsOn.filter((id) => {
    const state = run.find(id)?.facts.state ?? 'pending';
    return state !== 'done' && (blocked.has(id) || ITEM_TERMINAL.has(state));
  });
  return item.dependsOn.length - lost.length < item.atLeastDone;
}

/** What depends on the subject, and what is wanted depends on: each as its present copy, which was made of newer work. */
function between(subject: string, wanted: Seen, run: RunSight): readonly SeenItem[] {
  const before: Seen = new Map(wanted);
  const after = new Map<string, string[]>();
  const back = [...wanted.values()];
  for (let next = back.pop(); next !== undefined; next = back.pop()) {
    for (const direct of next.item.dependsOn) {
      const found = run.find(direct);
      if (found === undefined) continue;
      const seen = direct === subject ? found : present(found, run);
      const { id } = seen.item;
      const list = after.get(id);
      if (list === undefined) after.set(id, [next.item.id]);
      else list.push(next.item.id);
      if (id === subject || before.has(id)) continue;
      before.set(id, seen);
      back.push(seen);
    }
  }
  const behind = new Set<string>();
  const forth = [subject];
  for (let next = forth.pop(); next !== undefined; next = forth.pop())
    for (const id of after.get(next) ?? [])
      if (!behind.has(id)) {
        behind.add(id);
        forth.push(id);
      }
  return [...before.values()].filter(
    (seen) => behind.has(seen.item.id) && !wanted.has(seen.item.id) && isRepeatable(seen),
  );
}
