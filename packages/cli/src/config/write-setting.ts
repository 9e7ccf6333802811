import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readSettings } from './config.ts';
import type { SettingKey } from './keys.ts';

/**
 * Writes one top-level key of a TOML file and leaves every other line, comments included, as it is.
 * Written to a temporary file and renamed, so a crash never leaves half a file.
 */
export function writeSetting(file: string, key: SettingKey, value: string): void {
  const before = existsSync(file) ? readSettings(file, 'follow') : '';
  const lines = before === '' ? [] : before.replace(/\n$/, '').split('\n');
  const line = `${key.name} = ${key.values === 'boolean' ? value : JSON.stringify(value)}`;
  const { at, top } = placeOf(lines, key);
  if (at >= 0) lines[at] = line;
  else lines.splice(top, 0, line);
  replaceFile(file, lines);
}

/** Takes one top-level key out of a TOML file, as {@link writeSetting} puts it there. False when it is not there. */
export function removeSetting(file: string, key: SettingKey, isRehearsal: boolean): boolean {
  if (!existsSync(file)) return false;
  const lines = readSettings(file, 'follow').replace(/\n$/, '').split('\n');
  const { at } = placeOf(lines, key);
  if (at < 0) return false;
  lines.splice(at, 1);
  if (!isRehearsal) replaceFile(file, lines);
  return true;
}

/** The line that sets a key, or -1, and the line before which a new one goes. */
function placeOf(lines: readonly string[], key: SettingKey): { readonly at: number; readonly top: number } {
  const firstTable = lines.findIndex((entry) => /^\s*\[/.test(entry));
  const top = firstTable < 0 ? lines.length : firstTable;
  const at = lines.findIndex(
    (entry, index) => index < top && new RegExp(`^\\s*${key.name}\\s*=`).test(entry),
  );
  return { at, top };
}

function replaceFile(file: string, lines: readonly string[]): void {
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, lines.length === 0 ? '' : `${lines.join('\n')}\n`);
  renameSync(temporary, file);
}
