import { argument, command, flag } from './declaration.ts';

const RUN = 'a run: id, unique prefix, - for the newest, @ for the newest of this branch';

export const diffCommand = command({
  path: 'diff',
  summary: 'Show the patches a run left',
  args: { run: argument.required(`${RUN}; RUN/ITEM for one item`, 'run') },
  flags: {
    item: flag.list('ITEM', 'only this item'),
    stat: flag.boolean('only the files and line counts'),
    raw: flag.boolean('the exact bytes; needs a pipe'),
  },
  effect: 'read',
});

export const applyCommand = command({
  path: 'apply',
  summary: "Apply a run's patches to this working tree",
  args: { run: argument.required(RUN, 'run') },
  flags: {
    item: flag.list('ITEM', 'only this item'),
    revert: flag.boolean('take back what apply did'),
    yes: flag.boolean('do not ask about files that run on their own', { short: 'y' }),
  },
  effect: 'mutation',
  asks: { executable: { words: 'apply these files as well?', flag: '--yes' } },
  notes: 'Nothing is written unless every patch fits. pal apply --revert takes it back.',
});

export const artifactGetCommand = command({
  path: 'artifact get',
  summary: 'Write the bytes of a product',
  args: { ref: argument.required('sha256:… or RUN/ITEM[:PATH]; without PATH the patch', 'run') },
  flags: {
    output: flag.string('FILE', 'write to FILE', { short: 'o' }),
    force: flag.boolean('replace FILE when it exists'),
  },
  effect: 'read',
});

export const evidenceShowCommand = command({
  path: 'evidence show',
  summary: "What a run's evidence holds",
  args: { run: argument.required(RUN, 'run') },
  flags: {},
  effect: 'read',
});

export const evidenceStatusCommand = command({
  path: 'evidence status',
  summary: 'The log of seals, and how far others have attested it',
  args: {},
  flags: {},
  effect: 'read',
});

export const evidenceExportCommand = command({
  path: 'evidence export',
  summary: "Write a sealed run's evidence bundle",
  args: { run: argument.required(RUN, 'run') },
  flags: {
    output: flag.string('FILE', 'write to FILE', { short: 'o' }),
    trustRoot: flag.string('FILE', "also write this installation's public keys to FILE"),
    force: flag.boolean('replace files that exist'),
  },
  effect: 'read',
});

export const evidenceTrustRootCommand = command({
  path: 'evidence trust-root',
  summary: "Write this installation's public keys, for whoever verifies its evidence",
  args: {},
  flags: {
    output: flag.string('FILE', 'write to FILE', { short: 'o' }),
    force: flag.boolean('replace FILE when it exists'),
  },
  effect: 'read',
});

export const evidenceRevokeKeyCommand = command({
  path: 'evidence revoke-key',
  summary: 'Declare a retired key compromised',
  args: { key: argument.required('name of the key, as the trust root has it') },
  flags: { since: flag.string('TIME', 'since when somebody else may have had it: ISO 8601 with offset') },
  effect: 'mutation',
  notes:
    'Evidence that it signed then holds only where a timestamp authority saw it before. Hand out the trust root again.',
});

export const evidenceRotateKeyCommand = command({
  path: 'evidence rotate-key',
  summary: 'Replace the key that signs evidence',
  args: {},
  flags: { confirm: flag.string('KEY', 'the key to retire, as --dry-run shows it') },
  effect: 'mutation',
  asks: { key: { words: 'name of the key to retire', flag: '--confirm KEY' } },
  notes:
    'Evidence made before stays verifiable: the public half stays in the trust root. The private half is destroyed.',
});

export const verifyCommand = command({
  path: 'verify',
  summary: "Recompute a run's evidence, from a bundle file or a run here",
  args: { bundle: argument.required('bundle file or run', 'run') },
  flags: {
    trust: flag.string('FILE', "the auditor's trust root"),
    full: flag.boolean('show the whole ledger'),
  },
  effect: 'read',
});
