const PINNED = /^(?:[\w./:-]+@)?sha256:[0-9a-f]{64}$/;

/**
 * True for a reference that names content: `name@sha256:<64 hex>`, or the id of a local image,
 * `sha256:<64 hex>`. A tag can be moved to another image between two runs (DI-150).
 */
export function isPinned(image: string): boolean {
  return PINNED.test(image);
}
