import Docker from 'dockerode';
import type { SandboxProvider } from '@palisade/contracts';
import { dockerSandboxes } from '../src/index.ts';

/** The provider as a second supervisor makes it: from what the test put into the environment. */
export function localDocker(): SandboxProvider {
  const { TEST_DOCKER_SOCKET: socketPath = '', TEST_DOCKER_IMAGE: image = '' } = process.env;
  return dockerSandboxes({ docker: new Docker({ socketPath }), image });
}
