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
