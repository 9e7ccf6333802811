import * as z from 'zod';
import { operation, streamOf } from './operation.ts';
import { EventView } from './run-views.ts';

/** An event of one of the runs that somebody follows. */
export const EventFrame = EventView.extend({
  /** Where the subscription stands once this has arrived: given as `after`, or as Last-Event-ID, it goes on behind it. */
  id: z.string(),
  run_id: z.string(),
});
export type EventFrame = z.infer<typeof EventFrame>;

/** Runs that one subscription may follow. */
const SUBSCRIBED_RUNS = 100;

export const subscribeEvents = operation({
  id: 'events.subscribe',
  method: 'GET',
  path: '/v1/projects/{project}/events',
  summary: 'Events of runs as they happen, over one connection; it ends when every run is sealed',
  effect: 'read',
  access: 'read',
  input: z.strictObject({
    run: z.array(z.string().min(1).max(200)).min(1).max(SUBSCRIBED_RUNS),
    /** The id of the last frame that arrived, of the same runs in the same order. */
    after: z
      .string()
      .regex(/^(-1|\d{1,15})(\.(-1|\d{1,15})){0,99}$/, 'must be the id of a frame')
      .optional(),
  }),
  ...streamOf(EventFrame),
  errors: ['not_found', 'ambiguous_id'],
});
