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
  const firstTable = lines.findIndex((entry) => /^\s*\[/.test(entry));
  const top = firstTable < 0 ? lines.length : firstTable;
  const at = lines.findIndex(
    (entry, index) => index < top && new RegExp(`^\\s*${key.name}\\s*=`).test(entry),
  );
  if (at >= 0) lines[at] = line;
  else lines.splice(top, 0, line);
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, `${lines.join('\n')}\n`);
  renameSync(temporary, file);
}
