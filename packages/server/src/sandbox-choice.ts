import { isolationOf, PalisadeError, type SandboxProbe, type SandboxProvider } from '@palisade/contracts';
import type { ChosenSandbox } from '@palisade/dispatch';
import { bubblewrapSandboxes } from '@palisade/sandbox-bubblewrap';
import { dockerSandboxes } from '@palisade/sandbox-docker';
import { processSandboxes } from '@palisade/sandbox-process';
import { loadSandboxModules, SANDBOX_MODULES } from './sandbox-modules.ts';

/** The sandbox providers of this installation, strongest first: ours, and the operator's modules, which `modules` names. */
export async function sandboxProviders(
  modules = process.env[SANDBOX_MODULES],
): Promise<readonly SandboxProvider[]> {
  const providers = [bubblewrapSandboxes(), dockerSandboxes(process.env), processSandboxes()];
  for (const added of await loadSandboxModules(modules)) {
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
 * The provider a run will use: the named one, or the strongest on this machine. A weaker one stands in, and
 * that is said, only for one that is missing. One that is there and does not work is an error: somebody
 * counts on it. `requireIsolation` refuses whatever is no boundary, also by name.
 */
export async function chooseSandbox(
  providers: readonly SandboxProvider[],
  name: string | undefined,
  requireIsolation: boolean,
): Promise<ChosenSandbox> {
  const candidates = name === undefined ? providers : providers.filter((provider) => provider.name === name);
  if (candidates.length === 0)
    throw new PalisadeError('requirements_unmet', `there is no sandbox ${name}`, {
      next: `use one of ${providers.map((provider) => provider.name).join(', ')}`,
    });
  const warnings: string[] = [];
  let next: string | undefined;
  for (const provider of candidates) {
    const probe = await provider.probe();
    if (!probe.available) {
      const what = `sandbox ${provider.name} is ${probe.missing === true ? 'missing' : 'installed and does not work'}: ${probe.reason}`;
      if (probe.missing !== true && name === undefined)
        throw brokenSandbox(what, provider, candidates, probe.next);
      warnings.push(`${what}${probe.next === undefined ? '' : ` (${probe.next})`}`);
      next ??= probe.next;
      continue;
    }
    const isolation = isolationOf(probe.posture);
    if (isolation === 'sandboxed') return { name: provider.name, isolation, warnings };
    if (requireIsolation) {
      warnings.push(`sandbox ${provider.name} is no boundary (${isolation}), and one is required`);
      continue;
    }
    warnings.push(
      `sandbox ${provider.name} is no boundary (${isolation}): agents run with your own rights on this machine`,
    );
    return { name: provider.name, isolation, warnings };
  }
  throw new PalisadeError('requirements_unmet', warnings.join('; '), next === undefined ? {} : { next });
}

function brokenSandbox(
  what: string,
  provider: SandboxProvider,
  all: readonly SandboxProvider[],
  help: string | undefined,
): PalisadeError {
  const others = all.filter((other) => other !== provider).map((other) => `--sandbox ${other.name}`);
  const ways = [help, others.length === 0 ? undefined : `choose ${others.join(' or ')} yourself`];
  return new PalisadeError('requirements_unmet', what, {
    why: 'a weaker sandbox is not taken instead of one that is there',
    next: ways.filter((way) => way !== undefined).join(', or '),
  });
}
