/*
 * Writes what `palisade demo` really prints between the two marks of README.md:
 *
 *     npm run record-demo
 *
 * The demo runs in a terminal-less child, as in continuous integration: a line per change, no colour.
 * Only what differs from run to run without telling anything (the temporary directory) is
 * shortened. The block is not written when the demo fails.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = `${root}README.md`;
const BEGIN = '<!-- recorded:begin (npm run record-demo writes this block; do not edit) -->';
const END = '<!-- recorded:end -->';

async function record(): Promise<string> {
  // One pipe for both streams keeps their order.
  const child = spawn(
    '/bin/sh',
    ['-c', 'exec "$0" packages/cli/bin/palisade.mjs demo 2>&1', process.execPath],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NO_COLOR: '1', PALISADE_ACTOR: 'human:ada' },
    },
  );
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`palisade demo ended with ${code}:\n${text}`);
  const project = /\S+\/palisade-demo-\w+/.exec(text)?.[0];
  return (project === undefined ? text : text.replaceAll(project, '/tmp/demo')).trim();
}

const text = await readFile(readme, 'utf8');
const [before, rest] = text.split(BEGIN);
const after = rest?.split(END)[1];
if (before === undefined || after === undefined) throw new Error('README.md has lost its marks');
const block = `\n\n\`\`\`console\n$ npm run demo\n${await record()}\n\`\`\`\n\n`;
await writeFile(readme, `${before}${BEGIN}${block}${END}${after}`);
