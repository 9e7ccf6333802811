import { sandboxConformance } from '@palisade/contracts/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { localDocker } from '../test/local-docker.ts';
import { startEngine, whyNoEngine } from '../test/private-engine.ts';

const skip = whyNoEngine();
const engine = skip === null ? await startEngine() : null;
Object.assign(process.env, engine?.env);
afterAll(() => engine?.stop());

sandboxConformance(
  localDocker(),
  { describe, it, expect },
  {
    supervisor: { module: import.meta.resolve('../test/local-docker.ts'), export: 'localDocker' },
    ...(skip !== null && { skip }),
  },
);
