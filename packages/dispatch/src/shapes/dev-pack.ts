import type { Shape } from '@palisade/contracts';

/** Work on a repository. */
export const devPack: readonly Shape[] = [
  {
    id: 'dev.code-edit',
    effect: 'write-impure',
    permissions: { network: true, model: true, patch: true, outputs: true },
    gives: 'patch',
    takes: ['patch', 'findings'],
  },
  {
    id: 'dev.verify',
    effect: 'read-impure',
    permissions: { network: true, model: true, patch: false, outputs: true },
    gives: 'findings',
    takes: ['patch'],
  },
];
