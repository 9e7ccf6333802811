import { canonicalJson, type ContentHash, contentHash, decodeBundle } from '@palisade/contracts';

/** Names listed of one change; a change of more is told by their number. */
const SHOWN = 50;

/**
 * Which members of two definitions differ, by name and sorted: `model`, `run.permission`, `secrets.TOKEN`.
 * Objects are looked into once, so that no name comes from inside a setting that may hold anything. Values are
 * never told (DI-049).
 */
export function changedMembers(before: object, after: object): string[] {
  return listed(
    differing(before, after, (key, a, b) => (isPlain(a) && isPlain(b) ? inside(key, a, b) : [key])),
  );
}

/** Which files of two bundles differ, were added or are gone, by path and sorted. */
export function changedFiles(before: Uint8Array, after: Uint8Array): string[] {
  return listed(differing(filesOf(before), filesOf(after), (path) => [path]));
}

function inside(key: string, before: object, after: object): string[] {
  return differing(before, after, (member) => [`${key}.${member}`]);
}

function differing(
  before: object,
  after: object,
  name: (key: string, before: unknown, after: unknown) => string[],
): string[] {
  const [a, b] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const keys = [...new Set([...a.keys(), ...b.keys()])];
  return keys.flatMap((key) => {
    const [was, is] = [a.get(key) as unknown, b.get(key) as unknown];
    const isEqual = was !== undefined && is !== undefined && canonicalJson(was) === canonicalJson(is);
    return isEqual ? [] : name(key, was, is);
  });
}

function filesOf(bundle: Uint8Array): Record<string, ContentHash> {
  return Object.fromEntries(
    decodeBundle(bundle).files.map(({ path, bytes, executable }) => [
      path,
      contentHash(
        executable ? Buffer.concat([Buffer.from('x'), bytes]) : Buffer.concat([Buffer.from('-'), bytes]),
      ),
    ]),
  );
}

function listed(names: readonly string[]): string[] {
  const sorted = names.toSorted();
  return sorted.length <= SHOWN ? sorted : [...sorted.slice(0, SHOWN), `and ${sorted.length - SHOWN} more`];
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
