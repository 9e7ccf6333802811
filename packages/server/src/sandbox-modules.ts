import { statSync } from 'node:fs';
import { delimiter, isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PalisadeError, type SandboxProvider } from '@palisade/contracts';

/** The operator's variable: absolute paths of modules, separated as in PATH. */
export const SANDBOX_MODULES = 'PALISADE_SANDBOX_MODULES';

/**
 * Sandbox providers that do not come with Palisade. Each module's default export is a function that
 * makes one (the seam is `SandboxProvider` of the contracts).
 *
 * Threat: a module runs with the rights of the control plane. Only the operator's environment names
 * one, never a file of a repository or a plan; a relative path is refused because it would follow
 * the working directory into a repository, and so is a file that any user of the machine may write.
 *
 * @throws PalisadeError `requirements_unmet` naming the module that cannot be used, and why
 */
export async function loadSandboxModules(value: string | undefined): Promise<readonly SandboxProvider[]> {
  const providers: SandboxProvider[] = [];
  for (const path of (value ?? '').split(delimiter)) if (path !== '') providers.push(await load(path));
  return providers;
}

async function load(path: string): Promise<SandboxProvider> {
  if (!isAbsolute(path)) throw unusable(path, 'the path is not absolute');
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts?.isFile() !== true) throw unusable(path, 'there is no such file');
  if (process.platform !== 'win32' && (facts.mode & 0o002) !== 0)
    throw unusable(path, 'every user of this machine may write it');
  let made: unknown;
  try {
    const module = (await import(pathToFileURL(path).href)) as { default?: () => unknown };
    made = await module.default?.();
  } catch (cause) {
    throw unusable(path, cause instanceof Error ? `${cause.name} while loading it` : 'it threw', cause);
  }
  if (!isProvider(made)) throw unusable(path, 'its default export does not make a sandbox provider');
  return made;
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

function unusable(path: string, why: string, cause?: unknown): PalisadeError {
  return new PalisadeError('requirements_unmet', `the sandbox module ${path} cannot be used`, {
    why,
    next: `correct ${SANDBOX_MODULES}`,
    cause,
  });
}
