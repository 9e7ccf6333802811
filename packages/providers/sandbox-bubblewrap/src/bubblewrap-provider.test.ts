import { sandboxConformance } from '@palisade/contracts/testing';
import { describe, expect, it } from 'vitest';
import { bubblewrapSandboxes } from './bubblewrap-provider.ts';

const provider = bubblewrapSandboxes();
const probe = await provider.probe();

sandboxConformance(
  provider,
  { describe, it, expect },
  {
    supervisor: { module: import.meta.resolve('./index.ts'), export: 'bubblewrapSandboxes' },
    ...(!probe.available && { skip: probe.reason }),
  },
);
