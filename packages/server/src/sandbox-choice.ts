import { PalisadeError, type SandboxProbe, type SandboxProvider } from '@palisade/contracts';
import { bubblewrapSandboxes } from '@palisade/sandbox-bubblewrap';
import { processSandboxes } from '@palisade/sandbox-process';
import { loadSandboxModules, SANDBOX_MODULES } from './sandbox-modules.ts';

/** The sandbox providers of this installation, strongest first: ours, and the operator's modules. */
export async function sandboxProviders(): Promise<readonly SandboxProvider[]> {
  const providers = [bubblewrapSandboxes(), processSandboxes()];
  for (const added of await loadSandboxModules(process.env[SANDBOX_MODULES])) {
    if (providers.some((provider) => provider.name === added.name))
      throw new PalisadeError('requirements_unmet', `two sandbox providers are called ${added.name}`, {
        next: `correct ${SANDBOX_MODULES}`,
      });
    providers.push(added);
  }
  return providers.sort((a, b) => b.strength - a.strength);
}

/** What a provider said of this machine. */
export type SandboxReport = { readonly name: string } & SandboxProbe;

/** Asks every provider what it can give here, strongest first. `requirements_unmet` for an operator's module that cannot be used. */
export async function probeSandboxes(): Promise<readonly SandboxReport[]> {
  const reports: SandboxReport[] = [];
  for (const provider of await sandboxProviders())
    reports.push({ name: provider.name, ...(await provider.probe()) });
  return reports;
}

/**
 * The provider a run will use: the named one, or the strongest that proves itself here. Whatever falls
 * short of the strongest known one is said, never silent.
 */
export async function chooseSandbox(
  providers: readonly SandboxProvider[],
  name: string | undefined,
): Promise<{ readonly name: string; readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const candidates = name === undefined ? providers : providers.filter((provider) => provider.name === name);
  if (candidates.length === 0) {
    throw new PalisadeError('requirements_unmet', `there is no sandbox ${name}`, {
      next: `use one of ${providers.map((provider) => provider.name).join(', ')}`,
    });
  }
  let next: string | undefined;
  for (const provider of candidates) {
    const probe = await provider.probe();
    if (!probe.available) {
      warnings.push(
        `sandbox ${provider.name} is not available: ${probe.reason}${probe.next === undefined ? '' : ` (${probe.next})`}`,
      );
      next ??= probe.next;
      continue;
    }
    if (probe.posture.includes('unsandboxed-host')) {
      warnings.push(
        `sandbox ${provider.name} is no boundary (unsandboxed-host): agents run with your own rights on this machine`,
      );
    }
    return { name: provider.name, warnings };
  }
  throw new PalisadeError('requirements_unmet', warnings.join('; '), next === undefined ? {} : { next });
}
