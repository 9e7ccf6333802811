/*
 * A shape says what kind of work an item is (DI-193): what it may do, what it has to leave, and what kind of
 * data goes in and out. Plans name shapes; what a shape allows is data of the product and never of a plan. It is
 * frozen into the run with the item and enforced there: wishes above it are refused at submit, network that is
 * not allowed is not given, and an attempt that leaves what its shape does not allow ends failed.
 */

/** `pure`: depends on its inputs alone. `read-impure`: may read what is outside. `write-impure`: may change things. */
export type EffectTier = 'pure' | 'read-impure' | 'write-impure';

export interface ShapePermissions {
  /** May ask for the network; the operator has to agree as well. */
  readonly network: boolean;
  /** May be an agent with a model behind it. */
  readonly model: boolean;
  readonly patch: boolean;
  readonly outputs: boolean;
}

export interface Shape {
  /** `<pack>.<name>`. */
  readonly id: string;
  readonly effect: EffectTier;
  readonly permissions: ShapePermissions;
  /** What an attempt that ends well has to leave. */
  readonly leaves?: 'patch' | 'outputs';
  /** Kind of what it leaves; compared only with a consumer that states kinds as well. */
  readonly gives?: string;
  /** Kinds of what it can be given. */
  readonly takes?: readonly string[];
}

/** The part of a shape that holds during a run, as it was when the item was frozen. */
export type FrozenShape = Pick<Shape, 'id' | 'effect' | 'permissions' | 'leaves'>;
