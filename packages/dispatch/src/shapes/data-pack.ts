import type { Shape } from '@palisade/contracts';

const PURE = { network: false, model: false, patch: false, outputs: true } as const;

/** Work on data: cut into parts, each part worked on alone, results put together. */
export const dataPack: readonly Shape[] = [
  {
    id: 'data.split',
    effect: 'pure',
    permissions: PURE,
    leaves: 'outputs',
    gives: 'part',
    takes: ['dataset'],
  },
  {
    id: 'data.transform',
    effect: 'pure',
    permissions: PURE,
    leaves: 'outputs',
    gives: 'result',
    takes: ['part', 'dataset'],
  },
  {
    id: 'data.aggregate',
    effect: 'pure',
    permissions: PURE,
    leaves: 'outputs',
    gives: 'dataset',
    takes: ['result'],
  },
];
