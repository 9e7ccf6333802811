import { isOutputsCut } from '@palisade/contracts';
import type { FrozenItem } from '../plans/frozen-plan.ts';
import { grownName, keysOf } from './grown-name.ts';
import type { Grown, GrowthRefused, GrowthRule, RunSight, SeenItem } from './growth-rule.ts';
import { endedWell } from './item-end.ts';
import { makeItem } from './make-item.ts';

/*
 * A splitter that ends well makes one item of every output it left, and the reduction with them (DI-202): the
 * reduction waits for the maps, so nothing has to be asked again when they end. Where not all have to be done, it
 * starts when they have ended, gets what the done ones left, and stands in for the others.
 */

export const mapReduceRule: GrowthRule = (owner, ended, run) => {
  if (owner.growth?.kind !== 'map-reduce') return null;
  return ended.item.id === owner.id ? split(owner, owner.growth, ended, run) : mapEnded(owner, ended, run);
};

type MapReduce = Extract<NonNullable<FrozenItem['growth']>, { readonly kind: 'map-reduce' }>;

function split(
  owner: FrozenItem,
  growth: MapReduce,
  { facts }: SeenItem,
  run: RunSight,
): Grown | GrowthRefused | null {
  if (facts.state !== 'done') return null;
  if (!endedWell(facts)) return { refused: `the self-check of ${owner.id} failed: its parts are not used` };
  const paths = (facts.product?.outputs ?? []).map(({ path }) => path);
  if (paths.length === 0)
    return {
      refused: `${owner.id} left no outputs: there is nothing to map (it has to write files to outputs/)`,
    };
  if (facts.product !== null && isOutputsCut(facts.product))
    return { refused: `${owner.id} left more outputs, or longer names, than a record has room for` };
  const { minDone, reduce } = growth;
  if (minDone !== null && minDone > paths.length)
    return { refused: `${owner.id} left ${paths.length} parts, and at least ${minDone} have to be done` };
  const keys = [...keysOf(paths)];
  const named = (name: string): string => (isPlain ? name : grownName(owner.id, `::${name}`));
  const isMine = (id: string): boolean => {
    const there = run.find(id);
    return there === undefined || there.item.grownBy === owner.id;
  };
  const isPlain =
    growth.isPrefixed !== true &&
    owner.repeats === undefined &&
    ['reduce', ...keys.map(([, key]) => `map-${key}`)].every(isMine);
  const maps = keys.map(([path, key]) =>
    makeItem(growth.map, {
      id: named(`map-${key}`),
      dependsOn: [owner.id],
      needs: [{ key: growth.needsKey, from: owner.id, select: { kind: 'output', path } }],
      grownBy: owner.id,
    }),
  );
  if (reduce === undefined) return { items: maps, settles: [] };
  const reduction = makeItem(reduce, {
    id: named('reduce'),
    dependsOn: maps.map(({ id }) => id),
    needs: keys.map(([, key]) => ({
      key: `${growth.keyPrefix}-${key}`,
      from: named(`map-${key}`),
      select: { kind: 'output', path: growth.outputPath },
    })),
    grownBy: owner.id,
    ...(minDone === null ? {} : { atLeastDone: minDone }),
  });
  return { items: [...maps, reduction], settles: [] };
}

/** A map that did not end `done`, where the reduction does without it. */
function mapEnded(owner: FrozenItem, { item, facts }: SeenItem, run: RunSight): Grown | null {
  if (facts.state === 'done' || facts.settledBy !== null) return null;
  const reduction = run
    .dependents(item.id)
    .find(({ item: after }) => after.grownBy === owner.id && after.atLeastDone !== undefined);
  if (reduction === undefined) return null;
  return { items: [], settles: [{ item: item.id, by: reduction.item.id }] };
}
