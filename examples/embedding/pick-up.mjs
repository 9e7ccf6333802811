// Fire and forget: one process starts work, another one takes it up by its id.
//
//     node pick-up.mjs DIRECTORY            starts it, prints the id, leaves
//     node pick-up.mjs DIRECTORY ID         waits for it
//     node pick-up.mjs DIRECTORY ID cancel  stops it
import { open } from '@palisade/dispatch';

const [directory = process.cwd(), id, cancel] = process.argv.slice(2);
// Nothing of this process carries the work out: an engine of its own does, also when nobody is here any more.
await using palisade = await open({ directory, engine: 'detached' });
if (id === undefined) {
  const run = await palisade.dispatch.fire({ command: 'sleep 2; date +%s > outputs/at.txt' });
  console.log(run.id);
} else {
  const run = await palisade.runs.get(id);
  if (cancel === 'cancel') await run.cancel('not needed any more');
  const result = await run.result();
  console.log(result.state);
}
