import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  changed,
  explain,
  indexRepository,
  type Memory,
  openMemory,
  plan,
  ranking,
  repositoryMap,
  review,
} from '@palisade/memory';
import { budgetOf } from '@palisade/workspace';
import { longHistory } from './long-history.ts';
import { heldOutCommits, measureQuality } from './quality.ts';
import { transcriptSpeed } from './transcripts.ts';

/*
 * `npm run bench:memory [-- DIRECTORY] [--commits N]`: how fast memory is beside git and the disk in the same run, on a
 * made history (50,000 commits unless N is said), and how well it predicts the last fifth of the history of DIRECTORY,
 * by default of this repository. With `--transcripts MB` only how fast that much of made transcripts is indexed and searched.
 */
const args = process.argv.slice(2);
const at = args.indexOf('--commits');
const commits = at === -1 ? 50_000 : Number(args[at + 1]);
const of = args.indexOf('--transcripts');
const target =
  args.find(
    (word, each) =>
      !word.startsWith('--') && (at === -1 || each !== at + 1) && (of === -1 || each !== of + 1),
  ) ?? process.cwd();
const room = mkdtempSync(join(tmpdir(), 'palisade-bench-memory-'));

const say = (name: string, value: string) => process.stdout.write(`${name.padEnd(34)} ${value}\n`);
const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const percent = (value: number) => `${(value * 100).toFixed(1)} %`;

function git(directory: string, ...words: string[]): string {
  return execFileSync('git', words, { cwd: directory, encoding: 'utf8', maxBuffer: 1 << 30 }).trim();
}

async function timed<T>(body: () => T | Promise<T>): Promise<readonly [number, T]> {
  const started = performance.now();
  const result = await body();
  return [performance.now() - started, result];
}

/** What reading the same without keeping anything takes. */
async function floorOf(directory: string): Promise<number> {
  const [log] = await timed(() =>
    execFileSync('git', ['log', '--numstat', '--find-renames'], { cwd: directory, maxBuffer: 1 << 30 }),
  );
  const [read] = await timed(() => {
    for (const path of git(directory, 'ls-files', '-z').split('\0'))
      if (path !== '')
        try {
          readFileSync(join(directory, path));
        } catch {
          // A link that leads nowhere.
        }
  });
  return log + read;
}

const index = (directory: string, now: number, rebuild = false) =>
  indexRepository({ directory, budget: budgetOf(3_600_000), now, rebuild });

async function speed(name: string, directory: string, now: number): Promise<void> {
  const floor = await floorOf(directory);
  const [whole, report] = await timed(() => index(directory, now, true));
  say(
    `${name}.index.full`,
    `${ms(whole)}  ${(whole / floor).toFixed(2)}x of ${ms(floor)} (target 1.5x)  ${report.commit_count} commits, ${report.file_count} files`,
  );
  say(`${name}.index.memory`, `${Math.round(process.resourceUsage().maxRSS / 1e3)} MB at the most so far`);
  const [nothing] = await timed(() => index(directory, now));
  say(`${name}.index.nothing_new`, ms(nothing));
  // One that stays open would keep the log of the database from being taken in, and what is asked after that would be slower.
  const asked = async <T>(body: (memory: Memory) => T | Promise<T>): Promise<T> => {
    using memory = await openMemory({ directory, budget: budgetOf(60_000), now });
    return await body(memory);
  };
  const path = await asked((memory) => ranking(memory, 1).files[0]?.path ?? '');
  const text = readFileSync(join(directory, path));
  writeFileSync(join(directory, path), Buffer.concat([text, Buffer.from('\n// one more\n')]));
  git(
    directory,
    '-c',
    'user.name=A',
    '-c',
    'user.email=a@example.org',
    'commit',
    '--quiet',
    '-am',
    'One more',
  );
  const [one] = await timed(() => index(directory, now));
  say(`${name}.index.one_commit`, `${ms(one)} (target 150 ms)`);
  const bodies: Readonly<Record<string, (memory: Memory) => object | Promise<object>>> = {
    explain: (memory) => explain(memory, path),
    plan: (memory) => plan(memory, path, 'mend it'),
    risk: (memory) => ranking(memory, 20),
    map: (memory) => repositoryMap(memory, 2_000, []),
    changed,
    review: (memory) => review(memory, undefined),
  };
  for (const [answer, body] of Object.entries(bodies)) {
    const times: number[] = [];
    for (let round = 0; round < 6; round++) times.push((await timed(() => asked(body)))[0]);
    const [, ...warm] = times;
    say(`${name}.answer.${answer}`, `${ms(warm.toSorted((a, b) => a - b)[2] ?? 0)} (target 100 ms)`);
  }
}

async function transcripts(): Promise<void> {
  const paths = git(target, 'ls-files', '-z', '*.ts', '*.md')
    .split('\0')
    .filter((path) => path !== '');
  await transcriptSpeed(
    room,
    Number(args[of + 1]),
    paths.map((path) => join(target, path)),
    say,
  );
}

async function repositories(): Promise<void> {
  const own = join(room, 'target');
  git(room, 'clone', '--quiet', target, own);
  const now = Number(git(own, 'log', '-1', '--format=%ct')) * 1_000;
  const listed = git(own, 'rev-list', '--first-parent', 'HEAD').split('\n');
  const cut = listed[Math.floor(listed.length / 5)] ?? 'HEAD';
  const heldOut = heldOutCommits(own, cut);
  const head = git(own, 'rev-parse', 'HEAD');
  git(own, 'checkout', '--quiet', cut);
  const then = Number(git(own, 'log', '-1', '--format=%ct')) * 1_000;
  await index(own, then);
  const quality = await measureQuality(own, then, heldOut);
  say('quality.asked', `${quality.asked} files of ${heldOut.length} commits after ${cut.slice(0, 10)}`);
  for (const [name, [top3, top10]] of Object.entries(quality.hit))
    say(`quality.${name}`, `top 3 ${percent(top3)}  top 10 ${percent(top10)}`);
  say(
    'quality.answered',
    `top 3 ${percent(quality.answeredHit[0])}  top 10 ${percent(quality.answeredHit[1])}; nothing said to ${percent(quality.abstained)}`,
  );
  for (const [name, fixShare] of Object.entries(quality.fixShare))
    say(
      `quality.fixes.${name}`,
      `${percent(fixShare)} of ${quality.fixFiles} changes by fixes are in its first fifth`,
    );
  git(own, 'checkout', '--quiet', head);
  await speed('here', own, now);
  const long = join(room, 'long');
  await longHistory(long, commits);
  await speed('long', long, Number(git(long, 'log', '-1', '--format=%ct')) * 1_000);
}

try {
  await (of === -1 ? repositories() : transcripts());
} finally {
  rmSync(room, { recursive: true, force: true });
}
