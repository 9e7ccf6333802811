import * as z from 'zod';
import { ApprovalSettings } from './approval.ts';
import { limits } from './limits.ts';
import { PlanTemplate } from './plan-work.ts';
import { Json, Name } from './schema.ts';

/*
 * How a run may grow from within (DI-200 … DI-203): an item carries one rule under `inputs`. What comes to be
 * follows from the plan and from how items end, never from an agent's wish alone, and every template is
 * resolved when the plan is submitted.
 */

/** Path of an output an item leaves under `outputs/`. */
const OutputPath = z.string().min(1).max(1024);

/** Rounds that follow the first one, at most. */
const MAX_ROUNDS = 20;

/**
 * A gate (DI-201). Red is one that failed, or is done with a negative self-check. `advance`: its verdict is told
 * and stops nothing. `spawn-fix`: red stops what waits for it without using what it left; with a
 * `fixTemplate`, at most `maxFixAttempts` times an item `<gate>-fix-<n>` gets the patch of `subject`, applied, and
 * what the gate found, and then whatever lies behind the subject is done again, as `<item>~<n>`.
 */
export const GateRule = z.strictObject({
  onRed: z.enum(['advance', 'spawn-fix']),
  /** The upstream item whose patch a fix builds on. */
  subject: Name.optional(),
  fixTemplate: PlanTemplate.optional(),
  /** Default 1. */
  maxFixAttempts: z.int().min(1).max(MAX_ROUNDS).optional(),
});

/**
 * A splitter (DI-202). Each output it leaves becomes an item `map-<key>` of the one template, and one item
 * `reduce` gets what they leave at `outputPath`.
 */
export const MapReduceRule = z.strictObject({
  map: PlanTemplate.extend({
    /** Key of the part among the map's inputs: `inputs/<needsKey>`. Default `input`. */
    needsKey: Name.optional(),
    /** Output of a map that the reduction is given. Default `result`. */
    outputPath: OutputPath.optional(),
  }),
  reduce: PlanTemplate.extend({
    /** Results stand at `inputs/<keyPrefix>-<key>`. Default `part`. */
    keyPrefix: Name.max(64).optional(),
  }).optional(),
  /** Maps that have to be done for the reduction to start; the others may have failed. Default: all. */
  minDone: z.int().min(1).max(limits.outputEntries).optional(),
  /** Short for `minDone`: `reduce-done` is 1, `fail` (the default) all. */
  onFailure: z.enum(['fail', 'reduce-done']).optional(),
});

/** A reviewer: a program, or with `approval` a person, who is shown the patch (DI-203). */
export const ReviewerTemplate = PlanTemplate.extend({ approval: ApprovalSettings.optional() });
export type ReviewerTemplate = z.infer<typeof ReviewerTemplate>;

/**
 * A subject that is reviewed (DI-203). Reviewers `<subject>::rev-<i>` get its patch as a file; one approves by
 * ending done without a negative self-check. With `threshold` of them, every person among the reviewers included,
 * `<subject>::commit` is made. When that cannot be
 * reached any more the run fails, or, with `spawn-fix`, at most `maxRounds` times an item `<subject>-fix-<n>`
 * gets the patch, applied, and what reviewers found, and is reviewed in its turn.
 */
export const QuorumRule = z.strictObject({
  reviewers: z.array(ReviewerTemplate).min(1).max(64),
  threshold: z.int().min(1),
  commit: PlanTemplate.optional(),
  onReject: z.enum(['spawn-fix', 'block']).optional(),
  fixTemplate: PlanTemplate.optional(),
  /** Rounds of review after the first one. Default 1. */
  maxRounds: z.int().min(1).max(MAX_ROUNDS).optional(),
});

/**
 * An item whose output names further items, all of one template: a JSON array of {@link SpawnEntry}. They become
 * `<item>::<id>`; `join` waits for all of them, as `<item>::join`.
 */
export const SpawnRule = z.strictObject({
  /** The output with the list, e.g. `items.json`. */
  from: OutputPath,
  template: PlanTemplate,
  /** Default 20. */
  max: z.int().min(1).max(limits.grownItems).optional(),
  join: PlanTemplate.optional(),
});

/** All that whoever writes the list may choose of an item: never what runs, where, or with what. */
export const SpawnEntry = z.strictObject({
  id: Name.max(64),
  prompt: z.string().max(limits.spawnBytes).optional(),
  input: Json.optional(),
  /** Entries of the same list. */
  depends_on: z.array(Name).max(limits.grownItems).optional(),
});
export type SpawnEntry = z.infer<typeof SpawnEntry>;
