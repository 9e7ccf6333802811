import { nearest } from '../plans/nearest.ts';
import { dataPack } from './data-pack.ts';
import { devPack } from './dev-pack.ts';
import type { FrozenShape, Shape } from './shape.ts';

const shapes: ReadonlyMap<string, Shape> = catalogueOf([devPack, dataPack]);

/** All shapes of some packs by id. @throws Error when two shapes have the same one */
export function catalogueOf(packs: readonly (readonly Shape[])[]): ReadonlyMap<string, Shape> {
  const found = new Map<string, Shape>();
  for (const shape of packs.flat()) {
    if (found.has(shape.id)) throw new Error(`two shapes are called ${shape.id}`);
    found.set(shape.id, shape);
  }
  return found;
}

export function shapeOf(id: string): Shape | undefined {
  return shapes.get(id);
}

/** What of a shape is frozen into a run; a name nobody knows was refused before. */
export function frozenShape(id: string): FrozenShape | undefined {
  const shape = shapes.get(id);
  if (shape === undefined) return undefined;
  const { effect, permissions, leaves } = shape;
  return { id, effect, permissions, ...(leaves === undefined ? {} : { leaves }) };
}

/** ` (did you mean "x"?)`, or all there are. */
export function suggestShape(id: string): string {
  const guess = nearest(id, shapes.keys());
  return guess === '' ? `: there are ${[...shapes.keys()].join(', ')}` : guess;
}
