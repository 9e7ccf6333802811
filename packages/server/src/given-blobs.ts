import type { BlobStore } from '@palisade/contracts';
import type { FileBlobStore } from '@palisade/kernel';

/** A store of somebody else for housekeeping: one that cannot collect keeps everything, and says that nothing went. */
export function givenBlobs(store: BlobStore & Partial<Pick<FileBlobStore, 'collect'>>): FileBlobStore {
  if (typeof store.collect === 'function') return store as FileBlobStore;
  const collect: FileBlobStore['collect'] = async () => ({ kept: 0, removed: 0, bytes: 0 });
  // Methods of a store may be those of a class: they are called on it, never copied.
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'collect') return collect;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  }) as FileBlobStore;
}
