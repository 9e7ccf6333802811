import { statSync } from 'node:fs';
import { delimiter, isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PalisadeError } from '@palisade/contracts';

/** What the operator's modules are for. */
export interface ModuleKind<T> {
  /** `sandbox`, `executor`: what their default export makes. */
  readonly what: string;
  /** The variable that names them: absolute paths, separated as in PATH. */
  readonly variable: string;
  /** Makes it of a module's default export; null when that is nothing of the kind. */
  readonly make: (made: () => unknown) => Promise<T | null>;
}

/**
 * What does not come with Palisade, from modules that the operator names.
 *
 * Threat: a module runs with the rights of the control plane. Only the operator names
 * one, never a file of a repository or a plan; a relative path is refused because it would follow
 * the working directory into a repository, and so is a file that any user of the machine may write.
 *
 * @throws PalisadeError `requirements_unmet` naming the module that cannot be used, and why
 */
export async function loadModules<T>(kind: ModuleKind<T>, value: string | undefined): Promise<readonly T[]> {
  const loaded: T[] = [];
  for (const path of (value ?? '').split(delimiter)) if (path !== '') loaded.push(await load(kind, path));
  return loaded;
}

async function load<T>(kind: ModuleKind<T>, path: string): Promise<T> {
  const unusable = (why: string, cause?: unknown): PalisadeError =>
    new PalisadeError('requirements_unmet', `the ${kind.what} module ${path} cannot be used`, {
      why,
      next: `correct ${kind.variable}`,
      cause,
    });
  if (!isAbsolute(path)) throw unusable('the path is not absolute');
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts?.isFile() !== true) throw unusable('there is no such file');
  if (process.platform !== 'win32' && (facts.mode & 0o002) !== 0)
    throw unusable('every user of this machine may write it');
  let made: T | null = null;
  try {
    const module = (await import(pathToFileURL(path).href)) as { default?: unknown };
    const { default: maker } = module;
    if (typeof maker === 'function') made = await kind.make(maker as () => unknown);
  } catch (cause) {
    throw unusable(cause instanceof Error ? `${cause.name} while loading it` : 'it threw', cause);
  }
  if (made === null)
    throw unusable(
      `its default export does not make ${/^[aeiou]/.test(kind.what) ? 'an' : 'a'} ${kind.what}${kind.what === 'sandbox' ? ' provider' : ''}`,
    );
  return made;
}
