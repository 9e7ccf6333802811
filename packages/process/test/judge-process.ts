import { ownName, verdictOn } from '../src/index.ts';

// Says its own name and what it thinks of the processes named in its arguments, and lives until its input ends.
process.stdout.write(
  `${JSON.stringify({ own: ownName(), verdicts: process.argv.slice(2).map(verdictOn) })}\n`,
);
process.stdin.resume();
