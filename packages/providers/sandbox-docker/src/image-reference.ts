const PINNED = /^(?:[\w./:-]+@)?sha256:[0-9a-f]{64}$/;

/**
 * True for a reference that names content: `name@sha256:<64 hex>`, or the id of a local image,
 * `sha256:<64 hex>`. A tag can be moved to another image between two runs (DI-150).
 */
export function isPinned(image: string): boolean {
  return PINNED.test(image);
}

/** Names as registries allow them, with or without a tag: nothing that would be another path of the engine's. */
const REFERENCE = /^[a-z0-9]+(?:[._:/-]+[a-zA-Z0-9]+)*$/;

/** True for a name that may be asked for although it is not pinned. */
export function isReference(image: string): boolean {
  return image.length <= 512 && REFERENCE.test(image) && !image.includes('..') && !image.includes('//');
}
