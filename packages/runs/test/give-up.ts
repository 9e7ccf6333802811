// Gives an attempt up in a process of its own, so that it can die in the middle of it.
import { AttemptDirectory } from '../src/index.ts';

const [, , root = '', attemptId = ''] = process.argv;
const gaveUp = await new AttemptDirectory(root, attemptId).giveUp();
process.stdout.write(String(gaveUp));
