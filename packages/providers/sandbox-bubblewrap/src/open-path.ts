import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';

/*
 * Paths another user must be able to enter or read, whatever the umask of the supervisor is.
 */

/** Makes a directory, with those above it that are missing, which everybody may enter. */
export function makeOpenDirectory(path: string): void {
  const first = mkdirSync(path, { recursive: true });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = made.slice(0, made.lastIndexOf('/')))
    chmodSync(made, 0o755);
}

/** Writes a file everybody may read. */
export function writeOpenFile(path: string, content: string | Uint8Array): void {
  writeFileSync(path, content);
  chmodSync(path, 0o644);
}
