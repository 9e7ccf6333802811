import { contentHash, isName } from '@palisade/contracts';

/** A name has at most as many characters (DI-015). */
const NAME_CHARS = 128;
/** Of a key that is made of a path, without what tells it from others. */
const KEY_CHARS = 48;

/**
 * The id of what is made of an item, `<base><suffix>`: the same for the same two, and another for others. Of a base
 * that is too long the middle gives way to a hash of the whole.
 */
export function grownName(base: string, suffix: string): string {
  const name = `${base}${suffix}`;
  if (name.length <= NAME_CHARS) return name;
  const mark = `-${shortHash(base, 16)}`;
  return `${base.slice(0, NAME_CHARS - mark.length - suffix.length)}${mark}${suffix}`;
}

/**
 * A key for each path, in the order of the paths: the path itself where it can be one, else what of it can,
 * and a hash that tells it from all others. A path's key does not depend on what other paths there are, short of
 * one that was chosen to be like it.
 */
export function keysOf(paths: readonly string[]): Map<string, string> {
  const sorted = [...new Set(paths)].sort();
  const plain = new Set(sorted.filter((path) => path.length <= KEY_CHARS && isName(path)));
  const taken = new Set(plain);
  const keys = new Map<string, string>();
  for (const path of sorted) {
    let key = path;
    for (let digits = 8; !plain.has(path) && digits <= 64; digits *= 2) {
      key = `${readable(path)}-${shortHash(path, digits)}`;
      if (!taken.has(key)) break;
    }
    taken.add(key);
    keys.set(path, key);
  }
  return keys;
}

function readable(path: string): string {
  const text = path.replaceAll(/[^A-Za-z0-9._~-]+/g, '-').replaceAll(/\.{2,}/g, '.');
  return text.replace(/^[^A-Za-z0-9]+/, '').slice(0, KEY_CHARS) || 'x';
}

function shortHash(text: string, digits: number): string {
  return contentHash(Buffer.from(text, 'utf8')).slice('sha256:'.length, 'sha256:'.length + digits);
}
