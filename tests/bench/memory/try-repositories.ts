import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import * as z from 'zod';
import { answers } from '../../../packages/cli/src/output/answers.ts';

/*
 * `npm run try:memory -- DIRECTORY… [--files N]`: every command of a repository's memory over a clone of each repository, with its 40 riskiest
 * files, 40 of its others and what is odd about its names. Says how long each command took, and each answer that is not what it has to be:
 * an exit code other than 0, an answer of another form, or one that names files which are not there. Ends with 1 if there was one.
 */
const BIN = resolve(import.meta.dirname, '../../../packages/cli/bin/palisade.mjs');
const args = process.argv.slice(2);
const at = args.indexOf('--files');
const many = at === -1 ? 40 : Number(args[at + 1]);
const directories = args.filter((word, each) => !word.startsWith('--') && (at === -1 || each !== at + 1));
const MOST_BYTES = 1 << 30;

interface Trial {
  readonly clone: string;
  readonly faults: string[];
  /** Milliseconds of each command. */
  readonly times: Map<string, number[]>;
}

/** The answer of one command, judged; undefined when it gave none. */
function ask({ clone, faults, times }: Trial, command: string, ...more: string[]): unknown {
  const started = performance.now();
  const words = [...command.split(' '), ...more, '--json'];
  const ended = spawnSync(process.execPath, [BIN, ...words], {
    cwd: clone,
    encoding: 'utf8',
    maxBuffer: MOST_BYTES,
    env: { ...process.env, PALISADE_SERVER: '' },
  });
  times.set(command, [...(times.get(command) ?? []), performance.now() - started]);
  const fault = (what: string) => faults.push(`${words.join(' ')}: ${what}`);
  if (ended.status !== 0) {
    fault(
      `exit ${String(ended.status ?? ended.signal)} ${ended.stdout.slice(0, 300)}${ended.stderr.slice(0, 300)}`,
    );
    return undefined;
  }
  const answer: unknown = JSON.parse(ended.stdout);
  const forms = answers[command] ?? [];
  const judged = forms.map((form) => form.safeParse(answer));
  if (!judged.some(({ success }) => success))
    fault(
      `not of its form: ${judged.map(({ error }) => (error === undefined ? '' : z.prettifyError(error))).join('; ')}`,
    );
  for (const path of namedFiles(answer))
    if (!existsSync(join(clone, path))) fault(`names ${path}, which is not there`);
  return answer;
}

/** Files that an answer tells somebody to look at or to run. */
function namedFiles(answer: unknown): readonly string[] {
  const {
    suggested_tests: tests = [],
    blast_radius: blast = [],
    tests_to_run: run = [],
  } = answer as Partial<Record<string, readonly string[]>>;
  return [...tests, ...blast, ...run];
}

function tryRepository(directory: string, clone: string): Trial {
  const trial: Trial = { clone, faults: [], times: new Map() };
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: clone, encoding: 'utf8', maxBuffer: MOST_BYTES });
  execFileSync('git', ['clone', '--quiet', '--', directory, clone]);
  ask(trial, 'repo index');
  const again = ask(trial, 'repo index') as { added_commits?: number } | undefined;
  if (again?.added_commits !== 0)
    trial.faults.push(`a second index added ${String(again?.added_commits)} commits`);
  const { files = [] } = (ask(trial, 'repo risk', '--limit', String(many)) ?? {}) as {
    files?: { path: string }[];
  };
  const tracked = git('ls-files', '-z')
    .split('\0')
    .filter((path) => path !== '' && !path.startsWith('-'));
  const step = Math.max(1, Math.floor(tracked.length / many));
  const odd = tracked.filter((path) => /[^\w./@+-]/.test(path)).slice(0, 10);
  const asked = new Set([
    ...files.map(({ path }) => path),
    ...tracked.filter((_, each) => each % step === 0),
    ...odd,
  ]);
  // A submodule is another repository.
  for (const path of asked)
    for (const command of ['repo explain', 'repo safe', 'repo plan', 'repo neighbors'])
      if (lstatSync(join(clone, path), { throwIfNoEntry: false })?.isDirectory() === false)
        ask(trial, command, path);
  const depth = Number(git('rev-list', '--count', '--first-parent', 'HEAD').trim());
  for (const back of [1, 20].filter((each) => each < depth)) {
    ask(trial, 'repo review', `HEAD~${back}`);
    ask(trial, 'repo handoff', `HEAD~${back}`);
  }
  for (const command of [
    'repo doctor',
    'repo changed',
    'repo map',
    'repo decisions',
    'repo agents',
    'repo task-show',
    'repo preflight',
  ])
    ask(trial, command, ...(['repo decisions', 'repo preflight'].includes(command) ? ['fix'] : []));
  ask(trial, 'repo preflight', 'fix', '--scope', '.');
  return trial;
}

const room = mkdtempSync(join(tmpdir(), 'palisade-try-memory-'));
let faults = 0;
try {
  for (const directory of directories) {
    const trial = tryRepository(resolve(directory), join(room, basename(resolve(directory))));
    process.stdout.write(`${directory}: ${trial.faults.length} faults\n`);
    for (const [command, times] of trial.times) {
      const ordered = times.toSorted((a, b) => a - b);
      const [median = 0, worst = 0] = [ordered[Math.floor(ordered.length / 2)], ordered.at(-1)];
      process.stdout.write(
        `  ${command.padEnd(16)} ${times.length} times, ${median.toFixed(0)} ms, at most ${worst.toFixed(0)}\n`,
      );
    }
    for (const fault of trial.faults) process.stdout.write(`  ${fault}\n`);
    faults += trial.faults.length;
    rmSync(trial.clone, { recursive: true, force: true });
  }
} finally {
  rmSync(room, { recursive: true, force: true });
}
process.exitCode = faults === 0 ? 0 : 1;
