import { didYouMean, PalisadeError, parseInput, Shape } from '@palisade/contracts';
import { dataPack } from './data-pack.ts';
import { devPack } from './dev-pack.ts';
import type { FrozenShape } from './shape.ts';

/** Every shape that plans can name (DI-193): those of the product, and of the packs that somebody brought along. */
export class ShapeCatalogue {
  readonly #shapes = new Map<string, Shape>();

  /** The shapes that come with the product, which have no schemas. */
  static readonly own = new ShapeCatalogue([]);

  /** With the packs of others. Raises `invalid_input` for what is no shape or has a schema that cannot be checked, and when two have one id. */
  static async of(packs: readonly (readonly unknown[])[]): Promise<ShapeCatalogue> {
    const catalogue = new ShapeCatalogue(packs);
    for (const { id, result } of catalogue.#shapes.values())
      if (result !== undefined) (await import('./result-schema.ts')).assertResultSchema(id, result);
    return catalogue;
  }

  private constructor(packs: readonly (readonly unknown[])[]) {
    for (const given of [devPack, dataPack, ...packs].flat()) {
      const shape = parseInput(Shape, given, 'a shape');
      if (this.#shapes.has(shape.id))
        throw new PalisadeError('invalid_input', `two shapes are called ${shape.id}`);
      this.#shapes.set(shape.id, shape);
    }
  }

  get(id: string | undefined): Shape | undefined {
    return id === undefined ? undefined : this.#shapes.get(id);
  }

  /** What of a shape is frozen into a run; a name nobody knows was refused before. */
  frozen(id: string | undefined): FrozenShape | undefined {
    const shape = this.get(id);
    if (shape === undefined) return undefined;
    const { effect, permissions, leaves, result } = shape;
    return {
      id: shape.id,
      effect,
      permissions,
      ...(leaves === undefined ? {} : { leaves }),
      ...(result === undefined ? {} : { result }),
    };
  }

  /** ` (did you mean "x"?)`, or all there are. */
  suggest(id: string): string {
    const guess = didYouMean(id, this.#shapes.keys());
    return guess === '' ? `: there are ${[...this.#shapes.keys()].join(', ')}` : guess;
  }
}

/** The shapes that come with the product. */
export const OWN_SHAPES = ShapeCatalogue.own;
