// A worker process as the composition root would start it.
import { bubblewrapSandboxes } from '@palisade/sandbox-bubblewrap';
import { processSandboxes } from '@palisade/sandbox-process';
import { workerMain } from '../src/index.ts';

await workerMain([processSandboxes(), bubblewrapSandboxes()]);
