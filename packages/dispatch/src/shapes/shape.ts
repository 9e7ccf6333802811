import type { Shape } from '@palisade/contracts';

/** The part of a shape that holds during a run, as it was when the item was frozen. */
export type FrozenShape = Pick<Shape, 'id' | 'effect' | 'permissions' | 'leaves' | 'result'>;
