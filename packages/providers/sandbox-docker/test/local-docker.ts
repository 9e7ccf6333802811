import type { SandboxProvider } from '@palisade/contracts';
import { dockerSandboxes } from '../src/index.ts';

/** The provider as a second supervisor makes it: from what the test put into the environment. */
export function localDocker(): SandboxProvider {
  return dockerSandboxes(process.env);
}
