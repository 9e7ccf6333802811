import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ownName } from '@palisade/process';

/*
 * The file by which an engine process shows that it serves a control plane: `{"process": <name>}`. It
 * saves starting a second engine and decides nothing else. The last one to announce itself is shown.
 */

/** The name of the process that announced itself, or null when there is no legible sign. */
export async function announcedEngine(path: string): Promise<string | null> {
  try {
    const sign: unknown = JSON.parse(await readFile(path, 'utf8'));
    const named = typeof sign === 'object' && sign !== null && 'process' in sign ? sign.process : null;
    return typeof named === 'string' ? named : null;
  } catch {
    return null;
  }
}

/** Shows this process as the engine, whole or not at all. */
export async function announceEngine(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${ownName()}`;
  await writeFile(draft, JSON.stringify({ process: ownName() }));
  await rename(draft, path);
}

/** Removes the sign if it is still this process's own. */
export async function withdrawEngine(path: string): Promise<void> {
  if ((await announcedEngine(path)) === ownName()) await rm(path, { force: true });
}
