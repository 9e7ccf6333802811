import { NO_NETWORK } from '@palisade/contracts';
import { expect, it } from 'vitest';
import { Recording } from './double/record.ts';
import { Place } from './place.ts';

/** Everything that is said where a failure is told: while it is watched, shown, and explained. */
async function told(recording: Recording, item: string): Promise<string[]> {
  using place = new Place({ runs: [recording.build()] });
  const lines = [
    ['watch', recording.id],
    ['show', recording.id],
    ['explain', `${recording.id}/${item}`],
  ];
  const ended = await Promise.all(lines.map((words) => place.pal(words)));
  return ended.map(({ stdout, stderr }) => `${stdout}${stderr}`);
}

it('FF-136: an item that failed without a network is told with what allows it, and no rerun is offered', async () => {
  const run = new Recording('run_net', 'fetch')
    .item('fetch')
    .started('fetch')
    .reconciled('fetch', 'failed', {
      exit_code: 6,
      reason: 'the agent exited with status 6',
      product: { warnings: [`the agent may have met a rule of the sandbox: ${NO_NETWORK}`] },
    })
    .completed('failed');
  const texts = await told(run, 'fetch');
  for (const text of texts) {
    expect(text).toContain(
      'pal run PLAN --allow-network, with "sandbox": {"network": true} in the item fetch',
    );
    expect(text).not.toContain('pal rerun');
  }
  expect(texts[0]).toContain('status 6; it looked for the network, which it did not have');
  expect(texts[1]).toContain('status 6; it looked for the network, which it did not have');
  expect(texts[2]).toContain(`warning: the agent may have met a rule of the sandbox: ${NO_NETWORK}`);
});

it('DI-081: an item that failed for itself is offered again, and nothing is said of the network', async () => {
  const run = new Recording('run_own', 'own')
    .item('a')
    .started('a')
    .reconciled('a', 'failed', { exit_code: 1, reason: 'exit 1' })
    .completed('failed');
  for (const text of await told(run, 'a')) {
    expect(text).toContain('pal rerun run_own --only-failed');
    expect(text).not.toContain('network');
  }
});

it('FF-143: a self-check that ended well and is not counted is not said to have failed', async () => {
  const product = {
    verify: { passed: false, report: 'not counted as passed', duration_ms: 1 },
    blocks: [{ kind: 'verify', ordinal: 1, status: 'ok', duration_ms: 1 }],
  };
  const run = new Recording('run_check', 'check')
    .item('a')
    .started('a')
    .reconciled('a', 'done', { product })
    .completed('completed');
  const texts = await told(run, 'a');
  for (const text of texts) expect(text).not.toMatch(/self-check failed|failed/);
  expect(texts[0]).toContain('self-check not counted');
  expect(texts[1]).toContain('self-check not counted');
  expect(texts[2]).toContain('its self-check ended well and is not counted');
});

it('DI-194: what the policy denied is not offered again: the policy and who keeps it are', async () => {
  const run = new Recording('run_no', 'no')
    .item('deploy')
    .item('after', { depends_on: ['deploy'] })
    .denied('deploy', 'rule frozen of the policy denies it')
    .skipped('after', 'deploy')
    .completed('failed');
  const texts = await told(run, 'deploy');
  for (const text of texts) {
    expect(text).toContain('change the plan, or ask whoever keeps the policy of this installation');
    expect(text).not.toContain('pal rerun');
  }
  expect(texts[2]).toContain('pal config explain policy');
  // What was skipped because of it leads there, and is not offered either.
  const skipped = (await told(run, 'after'))[2];
  expect(skipped).toContain('pal explain run_no/deploy');
  expect(skipped).not.toContain('pal rerun');
});

it('DI-119: what a person denied says who, and can be asked again', async () => {
  const run = new Recording('run_ask', 'ask')
    .item('publish')
    .reconciled('publish', 'denied', { code: 'approval_denied', reason: 'denied by human:ann' })
    .completed('failed');
  const text = (await told(run, 'publish'))[2];
  expect(text).toContain('pal inbox run_ask --all');
  expect(text).toContain('pal rerun run_ask --only-failed');
});
