import * as z from 'zod';
import { EffectTier } from './authorization.ts';
import { ShapeId } from './plan-work.ts';
import { Json } from './schema.ts';

/*
 * A shape says what kind of work an item is (DI-193): what it may do, what it has to leave, and what kind of
 * data goes in and out. Plans name shapes; what a shape allows is data of the installation and never of a plan. It is
 * frozen into the run with the item and enforced there: wishes above it are refused at submit, network that is
 * not allowed is not given, and an attempt that leaves what its shape does not allow ends failed.
 */

export const ShapePermissions = z.strictObject({
  /** May ask for the network; the operator has to agree as well. */
  network: z.boolean(),
  /** May be an agent with a model behind it. */
  model: z.boolean(),
  patch: z.boolean(),
  outputs: z.boolean(),
});

/** The output with an item's structured result. */
export const RESULT_OUTPUT = 'result.json';

export const Shape = z
  .strictObject({
    id: ShapeId,
    effect: EffectTier,
    permissions: ShapePermissions,
    /** What an attempt that ends well has to leave. */
    leaves: z.enum(['patch', 'outputs']).optional(),
    /**
     * JSON Schema (2020-12) that the output `result.json` has to fit; then it has to be there. It is read strictly: an unknown keyword, one without the `type` it
     * narrows, and a reference to something outside are refused. `format` describes, and holds nothing.
     */
    result: z.record(z.string(), Json).optional(),
    /** Kind of what it leaves; compared only with a consumer that states kinds as well. */
    gives: z.string().min(1).max(128).optional(),
    /** Kinds of what it can be given. */
    takes: z.array(z.string().min(1).max(128)).min(1).optional(),
  })
  .refine(
    ({ effect, permissions: { network, model } }) => effect !== 'pure' || !(network || model),
    'what depends on its inputs alone has neither network nor model',
  )
  .refine(
    ({ leaves, result, permissions: { patch, outputs } }) =>
      (leaves !== 'patch' || patch) && ((leaves !== 'outputs' && result === undefined) || outputs),
    'has to leave what it may not',
  );
export type Shape = z.infer<typeof Shape>;
