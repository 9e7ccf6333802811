// A plan whose second item builds on the first one's patch, followed event by event: node plan.mjs DIRECTORY
import { open } from '@palisade/dispatch';

const [directory = process.cwd()] = process.argv.slice(2);
await using palisade = await open(directory);
const plan = {
  title: 'say it twice',
  items: [
    { id: 'say', command: 'echo hello > said.txt' },
    {
      id: 'shout',
      command: 'tr a-z A-Z < said.txt > shouted.txt; echo "{\\"loud\\":true}" > outputs/result.json',
      needs: { word: { from: 'say', select: { kind: 'patch' }, apply: true } },
    },
  ],
};
const problems = await palisade.plans.validate(plan);
if (problems.length > 0) throw new Error(JSON.stringify(problems));
const run = await palisade.plans.submit(plan, { repository: directory });

// Whoever keeps the number of the last event goes on behind it, here after three of them.
let last = -1;
for await (const event of run.events()) {
  last = event.seq;
  if (last === 2) break;
}
for await (const event of run.events({ after: last }))
  console.log(event.seq, event.type, event.data.item ?? '');

const shout = (await run.result()).item('shout');
console.log(await shout.result(), String(await shout.patch()).includes('+HELLO'));
