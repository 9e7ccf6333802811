import { sandboxConformance } from '@palisade/contracts/testing';
import { describe, expect, it } from 'vitest';
import { namespaceSandboxes } from './src/index.ts';

const provider = namespaceSandboxes();
const probe = await provider.probe();

sandboxConformance(
  provider,
  { describe, it, expect },
  {
    supervisor: { module: import.meta.resolve('./src/index.ts'), export: 'namespaceSandboxes' },
    ...(probe.available ? {} : { skip: probe.reason }),
  },
);
