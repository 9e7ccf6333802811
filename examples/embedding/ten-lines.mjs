// One unit of work, from opening a project to reading what was left: node ten-lines.mjs DIRECTORY
import { open } from '@palisade/dispatch';

const [directory = process.cwd()] = process.argv.slice(2);
await using palisade = await open(directory);
const run = { harness: 'command', command: 'cat > greeting.txt' };
await palisade.agents.register({ name: 'greeter', run });
const work = await palisade.dispatch({ agent: 'greeter', prompt: 'hello, world', repository: directory });
console.log(work.ok ? String(await work.patch()) : work.reason);
console.log('evidence:', (await work.run.evidence()).entries.length, 'events, signed');
