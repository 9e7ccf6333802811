import type { SandboxProvider } from '@palisade/contracts';
import { loadModules } from './operator-modules.ts';

/** The operator's variable: absolute paths of modules, separated as in PATH. */
export const SANDBOX_MODULES = 'PALISADE_SANDBOX_MODULES';

/**
 * Sandbox providers that do not come with Palisade. Each module's default export is a function that
 * makes one (the seam is `SandboxProvider` of the contracts). `requirements_unmet` for one that cannot be used.
 */
export function loadSandboxModules(value: string | undefined): Promise<readonly SandboxProvider[]> {
  const make = async (made: () => unknown): Promise<SandboxProvider | null> => {
    const provider = await made();
    return isProvider(provider) ? provider : null;
  };
  return loadModules({ what: 'sandbox', variable: SANDBOX_MODULES, make }, value);
}

function isProvider(made: unknown): made is SandboxProvider {
  if (typeof made !== 'object' || made === null) return false;
  const { name, strength, probe, allocate, reap } = made as Partial<Record<keyof SandboxProvider, unknown>>;
  return (
    typeof name === 'string' &&
    name !== '' &&
    typeof strength === 'number' &&
    [probe, allocate, reap].every((method) => typeof method === 'function')
  );
}
