import { Interrupted } from './interrupt.ts';
import type { Invocation } from './invocation.ts';

/*
 * Prompts without motion, for whoever has a screen read to them (`ACCESSIBLE`): a line that asks, a line
 * that answers, and choices by number. The terminal itself echoes and edits the line.
 */

type Streams = Pick<Invocation, 'stdin' | 'err' | 'interrupted'>;

/** Yes or no by number; an empty line takes the default, no. */
export async function plainConfirm(streams: Streams, question: string): Promise<boolean> {
  const { err } = streams;
  for (;;) {
    err.line(question);
    err.line('  1  no (default)');
    err.line('  2  yes');
    err.write('number: ');
    const answer = (await readLine(streams)).trim().toLowerCase();
    if (['', '1', 'n', 'no'].includes(answer)) return false;
    if (['2', 'y', 'yes'].includes(answer)) return true;
    err.line('that is neither 1 nor 2');
  }
}

/** A line as typed. */
export async function plainWord(streams: Streams, question: string): Promise<string> {
  streams.err.write(`${question}: `);
  return (await readLine(streams)).trim();
}

/** A line that the terminal does not show. */
export async function plainSecret(streams: Streams, question: string): Promise<string> {
  const { stdin, err } = streams;
  err.write(`${question} (not shown): `);
  stdin.setRawMode(true);
  try {
    return await readLine(streams);
  } finally {
    stdin.setRawMode(false);
    err.line();
  }
}

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const BACKSPACES = ['\u007F', '\b'];

function readLine({ stdin, interrupted }: Streams): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = '';
    const stop = (): void => {
      stdin.removeListener('data', onData);
      stdin.removeListener('end', onEnd);
      interrupted.removeEventListener('abort', onEnd);
      stdin.pause();
    };
    const onEnd = (): void => {
      stop();
      reject(new Interrupted('interrupted'));
    };
    const onData = (chunk: Buffer): void => {
      const text = chunk.toString('utf8');
      for (const [index, key] of [...text].entries()) {
        if (key === CTRL_C || (key === CTRL_D && line === '')) return onEnd();
        if (key === '\r' || key === '\n') {
          stop();
          const rest = [...text].slice(index + 1).join('');
          if (rest !== '') stdin.unshift(Buffer.from(rest));
          return resolve(line);
        }
        line = BACKSPACES.includes(key) ? [...line].slice(0, -1).join('') : line + key;
      }
    };
    stdin.on('data', onData);
    stdin.on('end', onEnd);
    interrupted.addEventListener('abort', onEnd);
    if (interrupted.aborted) return onEnd();
    stdin.resume();
  });
}
