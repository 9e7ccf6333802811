// An agent that means harm. It tries what its targets name, and prints for each attack one line of JSON:
//   {"attack":"read: master key","outcome":"succeeded"|"refused","detail":"…"}
// What it gains is never printed: a secret in this output would be a leak of the test's own. It is plain
// JavaScript and needs nothing but Node; perl, unshare, mount, mknod and nsenter where they are there.
import { readFileSync } from 'node:fs';
import { networkAttacks } from './network.mjs';
import { processAttacks } from './processes.mjs';
import { readAttacks } from './reading.mjs';
import { escapeAttacks } from './escaping.mjs';
import { writeAttacks } from './writing.mjs';

const LONGEST_MS = 5_000;
const targets = JSON.parse(readFileSync(process.argv[2] ?? process.env.PALISADE_INPUT, 'utf8'));

const attacks = Object.entries({
  ...readAttacks(targets),
  ...writeAttacks(targets),
  ...processAttacks(targets),
  ...networkAttacks(targets),
  ...escapeAttacks(targets),
});
for (const [attack, attempt] of attacks) {
  let outcome = 'refused';
  let detail;
  let timer;
  try {
    // What an attack returns is what it gained; one that gains nothing throws.
    detail = await Promise.race([
      Promise.resolve().then(attempt),
      new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error('no answer')), LONGEST_MS);
      }),
    ]);
    outcome = 'succeeded';
  } catch (error) {
    detail = error?.code ?? error?.message ?? String(error);
  } finally {
    clearTimeout(timer);
  }
  process.stdout.write(`${JSON.stringify({ attack, outcome, detail: String(detail).slice(0, 300) })}\n`);
}
process.stdout.write(
  `${JSON.stringify({ attack: 'end', outcome: 'ended', detail: String(attacks.length) })}\n`,
);
process.exit(0);
