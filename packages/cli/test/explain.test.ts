import { ownName } from '@palisade/process';
import { expect, it } from 'vitest';
import { Recording } from './double/record.ts';
import { Place } from './place.ts';

it('DI-081: an item at work names its process as one would look for it, and the wire has the whole name', async () => {
  const worker = ownName();
  const recording = new Recording('run_busy', 'busy').with({ sealed: false }).item('a', { worker });
  using place = new Place({ runs: [recording.started('a').build()] });
  const { stdout } = await place.pal(['explain', 'run_busy/a']);
  expect(stdout).toMatch(new RegExp(`why +attempt 1 of \\d+ is at work, by process ${process.pid}$`, 'm'));
  expect((await place.pal(['show', 'run_busy', '--json'])).stdout).toContain(`"worker":"${worker}"`);
});
