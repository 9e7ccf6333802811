import { type AttemptSpec, quotePath } from '@palisade/contracts';
import { readBundle } from './overlay.ts';
import { writeFileSafely } from './safe-file.ts';

/** Settings in which several capabilities may each say something (DI-131). */
const MERGED = /\.json$/;

/**
 * Lays what capabilities bring below an agent program's configuration directory into the program's private
 * home. An operator registered it, so it counts; the repository's own files of that name stay where they
 * are. JSON files of several capabilities become one: objects member by member, lists united, of single
 * values the later one; any other file of a later capability replaces an earlier one's.
 *
 * @param root absolute path of the workspace, whose private home is `.palisade/home`
 * @param directory of the program, e.g. `.claude`
 * @param warn told of JSON that cannot be read
 */
export function layConfiguration(
  root: string,
  capabilities: AttemptSpec['capabilities'],
  directory: string,
  warn: (text: string) => void,
): void {
  const laid = new Map<string, { readonly bytes: Uint8Array; readonly executable: boolean }>();
  for (const { name, hash, path } of capabilities) {
    for (const file of readBundle(name, hash, path)) {
      if (!file.path.startsWith(`${directory}/`)) continue;
      const earlier = laid.get(file.path);
      const merged =
        earlier === undefined || !MERGED.test(file.path) ? null : mergedJson(earlier.bytes, file.bytes);
      if (earlier !== undefined && merged === null && MERGED.test(file.path))
        warn(`${quotePath(file.path)} of capability ${name} replaces an earlier one: they are not both JSON`);
      laid.set(file.path, merged === null ? file : { bytes: merged, executable: file.executable });
    }
  }
  for (const [path, { bytes, executable }] of laid)
    writeFileSafely(root, `.palisade/home/${path}`, bytes, executable);
}

function mergedJson(a: Uint8Array, b: Uint8Array): Buffer | null {
  try {
    const [left, right] = [a, b].map((bytes) => JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown);
    return Buffer.from(`${JSON.stringify(merge(left, right))}\n`);
  } catch {
    return null;
  }
}

function merge(a: unknown, b: unknown): unknown {
  if (Array.isArray(a) && Array.isArray(b)) {
    const seen = new Set(a.map((each) => JSON.stringify(each)));
    return [...a, ...b.filter((each) => !seen.has(JSON.stringify(each)))];
  }
  if (!isObject(a) || !isObject(b)) return b;
  const members = new Map(Object.entries(a));
  for (const [key, value] of Object.entries(b))
    members.set(key, members.has(key) ? merge(members.get(key), value) : value);
  return Object.fromEntries(members);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
