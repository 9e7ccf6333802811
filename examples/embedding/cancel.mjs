// A limit of our own on somebody's work: node cancel.mjs DIRECTORY
import { open } from '@palisade/dispatch';

const [directory = process.cwd()] = process.argv.slice(2);
await using palisade = await open(directory);
const work = await palisade.dispatch(
  { command: 'echo started; sleep 600' },
  { signal: AbortSignal.timeout(3_000) },
);
// It resolved, so nothing of it runs any more.
console.log(work.state, work.failure?.code, JSON.stringify(await work.stdout()));
