// The same in TypeScript: what goes in, what comes out and every error code is typed. node typed.ts DIRECTORY
import { type ErrorCode, isPalisadeError, open, type Work } from '@palisade/dispatch';

const [directory = process.cwd()] = process.argv.slice(2);
await using palisade = await open({ directory, actor: 'service:prices', requireIsolation: false });

const work: Work = {
  id: 'prices-1',
  run: { harness: 'scripted', steps: [{ do: 'write', path: 'prices.txt', text: '3.00 EUR\n' }] },
  verify: { command: 'grep -q EUR prices.txt' },
  timeout_seconds: 60,
};
const first = await palisade.dispatch(work);
const patch: Buffer | null = await first.patch();
console.log(first.product.verify?.passed, patch?.length);

const refused: ErrorCode[] = [];
try {
  // The id names this very work for ever.
  await palisade.dispatch({ ...work, timeout_seconds: 61 });
} catch (error) {
  if (!isPalisadeError(error)) throw error;
  refused.push(error.code);
}
console.log(refused.join());
