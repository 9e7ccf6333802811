import { budgetOf } from '@palisade/workspace';
import { indexRepository } from '../src/index.ts';

/* A process of its own that indexes the repository it is told: `node index-once.ts DIRECTORY NOW`. */
const [, , directory = '.', now = '0'] = process.argv;
const report = await indexRepository({ directory, budget: budgetOf(60_000), now: Number(now) });
process.stdout.write(JSON.stringify(report));
