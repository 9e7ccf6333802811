import type { RequestView } from '@palisade/contracts';
import { expect, it } from 'vitest';
import { Recording, START } from './double/record.ts';
import type { Scenario } from './double/scenario.ts';
import { Place } from './place.ts';
import { Tmux } from './terminal.ts';

const QUESTION = { question: 'Which\u001B[31m way?', options: ['left', 'right'] };

/** A run that can only be made to go on by an answer. */
function waiting(): Scenario {
  const recorded = new Recording('run_asks', 'asks')
    .with({ sealed: false, owned: false, open_requests: 1 })
    .item('a')
    .started('a')
    .asked('a', QUESTION)
    .build();
  const request: RequestView = {
    id: `apr_${'1'.repeat(32)}`,
    kind: 'question',
    run_id: 'run_asks',
    run_title: 'asks',
    item: 'a',
    attempt: 1,
    hash: `sha256:${'ab'.repeat(32)}`,
    state: 'open',
    text: QUESTION.question,
    options: QUESTION.options,
    asked_at: START,
  };
  return { runs: [recorded], requests: [request] };
}

it('FF-078: a run that waits for a person ends a command with 6, says what is asked, and needs no engine for that', async () => {
  using place = new Place(waiting());
  const { code, stdout, stderr } = await place.pal(['watch', 'run_asks']);
  expect(code).toBe(6);
  expect(stdout).toMatch(/^waiting +a +asks: Which/m);
  expect(stderr).toContain('Which');
  expect(stderr).toContain('2  right');
  expect(stderr).toContain('pal answer run_asks/a');
  expect(stdout + stderr).not.toContain('\u001B');
  expect(place.calls()).not.toContain('ensure_engine');
  const waited = await place.pal(['watch', 'run_asks', '--wait', '--timeout', '2s']);
  expect(waited.code).toBe(8);
  const json = await place.pal(['watch', 'run_asks', '--json']);
  expect([json.code, (JSON.parse(json.stdout) as { run: { state: string } }).run.state]).toEqual([
    6,
    'waiting',
  ]);
});

it('what waits for you comes first in the status, and no such run is called stuck', async () => {
  using place = new Place(waiting());
  const { stdout, stderr } = await place.pal(['status']);
  expect(stdout).toMatch(/^waits for you 1\n +answer +run_asks\/a/);
  expect(stdout).not.toContain('stuck');
  expect(stderr).toContain('pal answer run_asks/a');
});

it('DI-262: the key a of the live view shows the question, takes the answer and gives the view back', async () => {
  using place = new Place(waiting());
  using tmux = new Tmux(place, ['watch', 'run_asks', '--progress', 'live'], { columns: 100, rows: 30 });
  await tmux.until((screen) => screen.includes('a answer  q detach'));
  tmux.keys('a');
  await tmux.until((screen) => screen.includes('2  right') && screen.includes('your answer'));
  tmux.keys('2', 'Enter');
  await tmux.until((screen) => screen.includes('run_asks/a  right') && screen.includes('a answer  q detach'));
  tmux.keys('q');
  await tmux.until((screen) => screen.includes('ended with 130'));
  expect(place.calls()).toContain('"option":2');
}, 60_000);
