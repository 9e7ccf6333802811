/*
 * A plan whose first item is a program in a worker process and whose second is a function of this one:
 * node main.ts DIRECTORY
 */
import { open } from '@palisade/dispatch';
import functions from './src/module.ts';

const [directory = '.'] = process.argv.slice(2);
await using palisade = await open({ directory, executors: [functions] });
const run = await palisade.plans.submit(
  {
    items: [
      { id: 'write', command: 'echo one two three > outputs/text' },
      {
        id: 'count',
        executor: 'functions',
        run: { harness: 'command', command: ['count'] },
        needs: { text: { from: 'write', select: { kind: 'output', path: 'text' } } },
      },
    ],
  },
  { sandbox_provider: 'process' },
);
const count = (await run.result()).item('count');
console.log(count.summary, await count.result());
