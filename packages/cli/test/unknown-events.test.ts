import { expect, it } from 'vitest';
import type { RecordedRun } from './double/scenario.ts';
import { Recording } from './double/record.ts';
import { Place } from './place.ts';

/** A run with events of a kind this program does not know, as a newer one beside it would write. */
function fromTheFuture(): RecordedRun {
  const known = new Recording('run_next', 'next').item('a').started('a').reconciled('a', 'done');
  const recorded = known.completed('completed').build();
  const events = recorded.events.flatMap((event) => [
    { ...event, seq: event.seq * 2, type: 'item.pondered', data: { item: 'a', depth: [1, { much: true }] } },
    { ...event, seq: event.seq * 2 + 1 },
  ]);
  return { ...recorded, events };
}

it('DI-079: whoever follows a run ignores kinds of events it does not know, and lists them as they are', async () => {
  using place = new Place({ runs: [fromTheFuture()] });
  const watched = await place.pal(['watch', 'run_next']);
  expect([watched.code, watched.stderr]).toEqual([0, '']);
  expect(watched.stdout).toMatch(/^ok +a/m);
  expect(watched.stdout).not.toContain('pondered');
  const listed = await place.pal(['events', 'run_next', '--format', 'ndjson']);
  expect(listed.code).toBe(0);
  expect(listed.stdout.match(/item\.pondered/g)).toHaveLength(3);
  expect((await place.pal(['show', 'run_next'])).code).toBe(0);
});
