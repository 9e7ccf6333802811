import { workerMain } from '@palisade/worker';
import { sandboxProviders } from './sandbox-choice.ts';

/** Entry point of a worker process: one attempt, then exit. Its argument is the attempt's directory. */
await workerMain(await sandboxProviders());
