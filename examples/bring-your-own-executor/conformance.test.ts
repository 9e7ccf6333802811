import { once } from 'node:events';
import { executorConformance } from '@palisade/contracts/testing';
import { describe, expect, it } from 'vitest';
import { sqliteBlobs } from '../bring-your-own-blobs/src/index.ts';
import { functionExecutor } from './src/index.ts';

const call = (name: string) => ({
  agent: {
    schema_version: 1 as const,
    name: 'agent',
    system_prompt: null,
    prompt_template: null,
    model: null,
    run: { harness: 'command' as const, command: [name] },
    capabilities: [],
  },
});

executorConformance(
  {
    name: 'functions',
    blobs: (directory) => sqliteBlobs(directory),
    make: functionExecutor('functions', {
      works: async ({ output }) => output('made.txt', 'made'),
      fails: () => Promise.reject(new Error('canary')),
      hangs: async ({ signal }) => void (await once(signal, 'abort')),
    }),
    behaviours: { works: call('works'), fails: call('fails'), hangs: call('hangs') },
    outlives: false,
  },
  { describe, it, expect },
);
