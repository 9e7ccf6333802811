import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { grepTranscripts, indexTranscripts, openTranscripts, searchTranscripts } from '@palisade/memory';

/* How fast transcripts are indexed and searched: made sessions, whose words are those of the sources of a repository. */

type Random = () => number;

/** Writes sessions of Claude Code of so many bytes together, of 0.2 to 12 MB each. */
function makeSessions(folder: string, bytes: number, texts: readonly string[]): void {
  let state = 7;
  const random: Random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  mkdirSync(folder, { recursive: true });
  for (let [made, session] = [0, 0]; made < bytes; session++) {
    const path = join(folder, `${session}.jsonl`);
    const file = openSync(path, 'w');
    const end = made + Math.min(bytes - made, 200_000 + random() ** 4 * 12_000_000);
    for (let turn = 0; made < end; turn++) made += writeSync(file, turnOf(session, turn, texts, random));
    closeSync(file);
    utimesSync(path, 1_700_000_000 + session, 1_700_000_000 + session);
  }
}

/** A question now and then, an answer that calls a tool, and what the tool gave, which the program writes twice. */
function turnOf(session: number, turn: number, texts: readonly string[], random: Random): string {
  const part = (length: number): string => {
    const text = texts[Math.floor(random() * texts.length)] ?? '';
    const at = Math.floor(random() * Math.max(1, text.length - length));
    return text.slice(at, at + length);
  };
  const base = {
    sessionId: `s-${session}`,
    cwd: `/home/ada/project${session % 40}`,
    timestamp: new Date(1_700_000_000_000 + (session * 10_000 + turn) * 1_000).toISOString(),
  };
  const names = Array.from({ length: 16 }, () => Math.floor(random() * 2 ** 32).toString(16)).join(' ');
  const given = `${names}\n${part(500 + Math.floor(random() ** 3 * 18_000))}`;
  const [id, tool] = [`msg_${session}_${turn}`, `tool_${session}_${turn}`];
  const file = `${base.cwd}/src/f${Math.floor(random() * 300)}.ts`;
  const call = { type: 'tool_use', id: tool, name: 'Read', input: { file_path: file } };
  const content = [{ type: 'text', text: part(400) }, call];
  const usage = { input_tokens: 10, output_tokens: 20 };
  const result = { type: 'tool_result', tool_use_id: tool, content: given };
  const records = [
    ...(turn % 12 === 0 ? [{ ...base, type: 'user', message: { role: 'user', content: part(200) } }] : []),
    { ...base, type: 'assistant', message: { role: 'assistant', id, model: 'model-1', content, usage } },
    { ...base, type: 'user', message: { role: 'user', content: [result] }, toolUseResult: { stdout: given } },
  ];
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** @param paths files that words are taken from */
export async function transcriptSpeed(
  room: string,
  megabytes: number,
  paths: readonly string[],
  say: (name: string, value: string) => void,
): Promise<void> {
  const env = { HOME: join(room, 'home') };
  const folder = join(env.HOME, '.claude/projects/p');
  makeSessions(
    folder,
    megabytes * 1e6,
    paths.map((path) => readFileSync(path, 'utf8')),
  );
  const options = { env, now: Date.now(), signal: new AbortController().signal, host: 'here' };
  const index = async (): Promise<number> => {
    using database = openTranscripts({ env, create: true });
    const started = performance.now();
    await indexTranscripts({ ...options, database });
    return performance.now() - started;
  };
  const whole = await index();
  using database = openTranscripts({ env });
  const rss = Math.round(process.resourceUsage().maxRSS / 1024);
  say(
    'transcripts.index',
    `${(whole / 1e3).toFixed(1)} s for ${megabytes} MB, ${((megabytes * 1e3) / whole).toFixed(1)} MB/s (target 50)  ${rss} MB at the most  ${Math.round(statSync(database.path).size / 1e6)} MB of index`,
  );
  say('transcripts.nothing_new', `${(await index()).toFixed(0)} ms`);
  const search = (query: string, folders?: readonly string[]) => () =>
    searchTranscripts(database, { query, limit: 20, folders });
  const grep = (pattern: string) => () => grepTranscripts(database, { pattern, limit: 20 });
  for (const [name, ask] of Object.entries({
    'one common word': search('function'),
    'two common words': search('return function'),
    'a sentence': search('how is the lease of a worker renewed when the clock jumps'),
    'a phrase': search('"long transaction"'),
    'a common word of one folder': search('function', ['/home/ada/project3']),
    'a literal': grep('(signal.aborted)'),
    'a part of a word': grep('emoryDatab'),
    'what is nowhere': grep('zqxjkvw'),
  })) {
    const times = Array.from({ length: 7 }, () => {
      const started = performance.now();
      ask();
      return performance.now() - started;
    }).toSorted((one, other) => one - other);
    say(`transcripts.search.${name}`, `${(times[3] ?? 0).toFixed(1)} ms (target 60 ms)`);
  }
  rmSync(env.HOME, { recursive: true, force: true });
}
