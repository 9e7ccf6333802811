import { Recording } from './record.ts';
import type { Scenario } from './scenario.ts';

export const HARDEN = 'run_0198aa00000070008000000000000001';
export const TIDY = 'run_0198ab00000070008000000000000002';

/** A release that went through a retry and one failure, and a small run that is under way. */
export function hardenScenario(): Scenario {
  const harden = new Recording(HARDEN, 'harden-release')
    .item('spec', { title: 'write the specification' })
    .item('fix-login', { depends_on: ['spec'] })
    .item('lint', { depends_on: ['spec'], max_attempts: 1 })
    .item('publish', { depends_on: ['lint'] })
    .started('spec')
    .after(41_000)
    .reconciled('spec', 'done', {
      product: { usage: { cost_usd: 0.06 }, patch: { files: 1, added: 12, deleted: 2, bytes: 400 } },
    })
    .started('fix-login')
    .started('lint')
    .log('lint', 'src/login.ts:4 unused variable', '1 problem')
    .after(20_000)
    .reconciled('fix-login', 'retrying', { exit_code: 1, reason: 'pnpm test exit 1 (3 tests)' })
    .reconciled('lint', 'failed', { exit_code: 1, reason: 'exit 1: 1 problem' })
    .skipped('publish', 'lint')
    .started('fix-login', 2)
    .after(38_000)
    .reconciled('fix-login', 'done', { attempt: 2, product: { usage: { cost_usd: 0.5 } } })
    .completed('failed')
    .build({
      products: [
        {
          item: 'spec',
          state: 'done',
          result_ref: `sha256:${'11'.repeat(32)}`,
          outputs: [],
          base_patches: [],
        },
      ],
    });
  const tidy = new Recording(TIDY, 'tidy docs')
    .with({ sealed: false, owned: true, cost_usd: 0.02 })
    .item('docs')
    .started('docs')
    .build();
  return { runs: [harden, tidy] };
}
