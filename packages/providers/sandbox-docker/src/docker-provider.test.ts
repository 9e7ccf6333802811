import { sandboxConformance } from '@palisade/contracts/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { startDaemon, whyNoDaemon } from '../test/docker-daemon.ts';
import { localDocker } from '../test/local-docker.ts';
import { dockerSandboxes } from './docker-provider.ts';

const missing = whyNoDaemon();
const daemon = missing === null ? await startDaemon() : null;
process.env['TEST_DOCKER_SOCKET'] = daemon?.socket ?? '';
process.env['TEST_DOCKER_IMAGE'] = daemon?.image ?? '';
afterAll(() => daemon?.stop());

const provider = daemon === null ? dockerSandboxes({ image: 'none' }) : localDocker();
sandboxConformance(
  provider,
  { describe, it, expect },
  {
    supervisor: { module: import.meta.resolve('../test/local-docker.ts'), export: 'localDocker' },
    ...(missing !== null && { skip: missing }),
  },
);
