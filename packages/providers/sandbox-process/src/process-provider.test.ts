import { sandboxConformance } from '@palisade/contracts/testing';
import { describe, expect, it } from 'vitest';
import { processSandboxes } from './process-provider.ts';

sandboxConformance(
  processSandboxes(),
  { describe, it, expect },
  { supervisor: { module: import.meta.resolve('./index.ts'), export: 'processSandboxes' } },
);
