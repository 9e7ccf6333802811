import type { Executor } from '@palisade/contracts';

/** An executor whose attempts end at once: what is measured is everything around them. */
export const noopExecutor = (name: string): Executor => ({
  name,
  fire: () => ({
    started: Promise.resolve(null),
    ended: Promise.resolve({ outcome: 'succeeded', retryable: false, product: {}, posture: [] }),
    cancel: () => {},
    detach: () => {},
    release: async () => {},
  }),
  discard: async () => {},
  recover: () => Promise.reject(new Error('nothing to recover in a benchmark')),
});
