import type { RunView } from '@palisade/contracts';
import { ownName } from '@palisade/process';
import { expect, it } from 'vitest';
import { Recording } from './double/record.ts';
import { Place } from './place.ts';

it('an item that failed where nothing was says so, for its commands looked for files that nobody gave it', async () => {
  const lost = (workspace: RunView['workspace']) =>
    new Place({
      runs: [
        new Recording('run_bare', 'bare')
          .with({ workspace })
          .item('a')
          .started('a')
          .reconciled('a', 'failed')
          .completed('failed')
          .build(),
      ],
    });
  using empty = lost({ kind: 'empty' });
  expect((await empty.pal(['explain', 'run_bare/a'])).stdout).toContain(
    'why   it began in an empty workspace: the run was given no repository',
  );
  using full = lost({ kind: 'git', repository: '/srv/shop', commit: 'a'.repeat(40) });
  expect((await full.pal(['explain', 'run_bare/a'])).stdout).not.toContain('empty workspace');
});

it('DI-081: an item at work names its process as one would look for it, and the wire has the whole name', async () => {
  const worker = ownName();
  const recording = new Recording('run_busy', 'busy').with({ sealed: false }).item('a', { worker });
  using place = new Place({ runs: [recording.started('a').build()] });
  const { stdout } = await place.pal(['explain', 'run_busy/a']);
  expect(stdout).toMatch(new RegExp(`why +attempt 1 of \\d+ is at work, by process ${process.pid}$`, 'm'));
  expect((await place.pal(['show', 'run_busy', '--json'])).stdout).toContain(`"worker":"${worker}"`);
});
