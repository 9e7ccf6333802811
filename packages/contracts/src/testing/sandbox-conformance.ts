import type { SandboxProvider } from '../sandbox.ts';
import { type Suite, withSandbox } from './sandbox-bench.ts';
import { endingConformance, type SupervisorModule } from './sandbox-ending.ts';
import { limitConformance } from './sandbox-limits.ts';
import { outputConformance } from './sandbox-output.ts';
import { startConformance } from './sandbox-start.ts';
import { workspaceConformance } from './sandbox-workspace.ts';
import type { TestTools } from './test-tools.ts';

export interface SandboxConformanceOptions {
  /** The suite starts a second supervisor from it, in order to kill that one. */
  readonly supervisor: SupervisorModule;
  /** Why the provider cannot run here; every test is then reported as skipped with this reason. */
  readonly skip?: string;
}

/**
 * Every promise of the sandbox seam, as tests against a real provider. Call it at the top level of
 * a test file with the runner's own functions:
 *
 *     sandboxConformance(myProvider(), { describe, it, expect }, {
 *       supervisor: { module: import.meta.resolve('./index.ts'), export: 'myProvider' },
 *     });
 *
 * Programs used are `sh` and the POSIX tools. Survivors are looked for in `/proc` of this machine,
 * so a provider that runs programs elsewhere must add its own look.
 */
export function sandboxConformance(
  provider: SandboxProvider,
  tools: TestTools,
  options: SandboxConformanceOptions,
): void {
  const { skip } = options;
  const it: TestTools['it'] =
    skip === undefined
      ? tools.it
      : Object.assign((name: string) => tools.it.skip(`${name} (skipped: ${skip})`, () => {}), {
          skip: tools.it.skip,
        });
  const suite: Suite = {
    ...tools,
    it,
    provider,
    withSandbox: (test, bench) => withSandbox(provider, test, bench),
  };
  tools.describe(`sandbox conformance: ${provider.name}`, () => {
    startConformance(suite);
    outputConformance(suite);
    endingConformance(suite, options.supervisor);
    workspaceConformance(suite);
    limitConformance(suite);
  });
}
