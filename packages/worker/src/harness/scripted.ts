import {
  ANSWER_KEY,
  AnswerFile,
  assertSafePath,
  type ExecResult,
  type Harness,
  type HarnessContext,
  type HarnessResult,
  isPalisadeError,
  QUESTION_FILE,
  type ScriptedStep,
  type Usage,
} from '@palisade/contracts';
import { addUsage } from '../attempt/agent-block.ts';
import { plainScript } from '../script/shell.ts';

/*
 * The deterministic harness (DI-135): a list of steps instead of a thinking program, for tests and
 * demonstrations. Every step that touches a file or runs a command is a program in the sandbox,
 * with the sandbox's user and limits. File steps take safe relative paths only and refuse to pass
 * a symlink, so no step leaves the workspace even where the sandbox has no boundary.
 */

/** Refuses when any part of `$1` is a symlink. Runs before every file step, in the same program. */
const NO_SYMLINK =
  'p=./$1; d=$p; while [ "$d" != . ]; do if [ -L "$d" ]; then echo "$1 crosses a symlink" >&2; exit 1; fi; d=$(dirname "$d"); done; ';
const MAKE_PARENT = 'mkdir -p "$(dirname "$p")" && ';

const FILE_STEPS = {
  write: `${NO_SYMLINK}${MAKE_PARENT}cat > "$p" && chmod 644 "$p"`,
  writeExecutable: `${NO_SYMLINK}${MAKE_PARENT}cat > "$p" && chmod 755 "$p"`,
  append: `${NO_SYMLINK}${MAKE_PARENT}cat >> "$p"`,
  read: `${NO_SYMLINK}cat "$p"`,
  overwrite: `${NO_SYMLINK}cat > "$p"`,
  delete: `p=./$1; d=$(dirname "$p"); while [ "$d" != . ]; do if [ -L "$d" ]; then echo "$1 crosses a symlink" >&2; exit 1; fi; d=$(dirname "$d"); done; if [ -d "$p" ] && [ ! -L "$p" ]; then rm -r "$p"; else rm "$p"; fi`,
} as const;

/** What a run of steps has gathered. */
interface Progress {
  said: string | undefined;
  usage: Usage | undefined;
}

export const scriptedHarness: Harness = {
  name: 'scripted',
  async run(context: HarnessContext): Promise<HarnessResult> {
    if (context.settings.harness !== 'scripted')
      throw new TypeError('the scripted harness got the settings of another');
    const until = Date.now() + context.timeoutMs;
    const progress: Progress = { said: undefined, usage: undefined };
    let end: HarnessResult = { outcome: 'exited', exitCode: 0 };
    const first = await answeredSteps(context, until);
    for (const [index, step] of context.settings.steps.entries()) {
      if (index < first) continue;
      if (step.do === 'ask') {
        end = (await ask(context, step, until)) ?? end;
        break;
      }
      if (step.do === 'exit') {
        end = { outcome: 'exited', exitCode: step.code };
        break;
      }
      const failure = await runStep(context, step, progress, until);
      if (failure === null) continue;
      end = {
        ...failure,
        detail: `step ${index + 1} (${step.do})${failure.detail === undefined ? '' : `: ${failure.detail}`}`,
      };
      break;
    }
    return {
      ...end,
      ...(progress.said === undefined ? {} : { summary: progress.said }),
      ...(progress.usage === undefined ? {} : { usage: progress.usage }),
    };
  },
};

/** Steps up to the last question that is answered already. */
async function answeredSteps(context: HarnessContext, until: number): Promise<number> {
  if (context.settings.harness !== 'scripted' || context.env['PALISADE_ANSWER_FILE'] === undefined) return 0;
  const { stdout } = await exec(context, fileStep('read', `inputs/${ANSWER_KEY}`), until);
  let answers = AnswerFile.parse(JSON.parse(Buffer.from(stdout).toString('utf8'))).earlier.length + 1;
  return context.settings.steps.findIndex((step) => step.do === 'ask' && --answers === 0) + 1;
}

/** Leaves the question as any agent would; null when that went well. */
async function ask(
  context: HarnessContext,
  { do: _do, ...question }: Extract<ScriptedStep, { do: 'ask' }>,
  until: number,
): Promise<HarnessResult | null> {
  return onFile(context, 'write', QUESTION_FILE, until, JSON.stringify(question));
}

/** Runs one step; null when it ended well. */
async function runStep(
  context: HarnessContext,
  step: Exclude<ScriptedStep, { do: 'exit' | 'ask' }>,
  progress: Progress,
  until: number,
): Promise<HarnessResult | null> {
  switch (step.do) {
    case 'say':
      context.emit({ kind: 'message', text: step.text });
      progress.said = step.text;
      return null;
    case 'usage':
      progress.usage = addUsage(progress.usage, {
        ...(step.model === undefined ? {} : { models: [step.model] }),
        ...(step.input_tokens === undefined ? {} : { input_tokens: step.input_tokens }),
        ...(step.output_tokens === undefined ? {} : { output_tokens: step.output_tokens }),
        ...(step.cost_usd === undefined ? {} : { cost_usd: step.cost_usd }),
      });
      return null;
    case 'sleep':
      return ended(await exec(context, ['sleep', String(step.ms / 1000)], until));
    case 'run': {
      const stepUntil = step.timeout_ms === undefined ? until : Math.min(until, Date.now() + step.timeout_ms);
      return ended(await exec(context, plainScript(step.command), stepUntil, { show: true }));
    }
    case 'write':
      return onFile(
        context,
        step.executable === true ? 'writeExecutable' : 'write',
        step.path,
        until,
        step.text,
      );
    case 'append':
      return onFile(context, 'append', step.path, until, step.text);
    case 'delete':
      return onFile(context, 'delete', step.path, until);
    default:
      return replace(context, step, until);
  }
}

async function replace(
  context: HarnessContext,
  step: Extract<ScriptedStep, { do: 'replace' }>,
  until: number,
): Promise<HarnessResult | null> {
  const refused = refuse(context, step.path);
  if (refused !== null) return refused;
  const read = await exec(context, fileStep('read', step.path), until, { show: 'stderr' });
  const failure = ended(read);
  if (failure !== null) return failure;
  // What was not seen whole must not be written back.
  if (read.stdoutDropped > 0) return failed(context, `${step.path} is too large to replace text in`);
  const bytes = Buffer.from(read.stdout);
  const find = Buffer.from(step.find, 'utf8');
  const at = bytes.indexOf(find);
  if (at === -1) return failed(context, `the text to replace is not in ${step.path}`);
  const changed = Buffer.concat([
    bytes.subarray(0, at),
    Buffer.from(step.with, 'utf8'),
    bytes.subarray(at + find.length),
  ]);
  return ended(await exec(context, fileStep('overwrite', step.path), until, { show: true, stdin: changed }));
}

async function onFile(
  context: HarnessContext,
  kind: keyof typeof FILE_STEPS,
  path: string,
  until: number,
  text?: string,
): Promise<HarnessResult | null> {
  const refused = refuse(context, path);
  if (refused !== null) return refused;
  const stdin = text === undefined ? undefined : Buffer.from(text, 'utf8');
  return ended(
    await exec(context, fileStep(kind, path), until, {
      show: true,
      ...(stdin === undefined ? {} : { stdin }),
    }),
  );
}

function refuse(context: HarnessContext, path: string): HarnessResult | null {
  // The contract's own files may be written as an agent would write them.
  if (/^\.palisade\/[A-Za-z0-9_-]+\.(?:md|json)$/.test(path)) return null;
  try {
    assertSafePath(path);
    return null;
  } catch (error) {
    return failed(context, isPalisadeError(error) ? error.message : 'unsafe path');
  }
}

function fileStep(kind: keyof typeof FILE_STEPS, path: string): [string, ...string[]] {
  return ['/bin/sh', '-c', FILE_STEPS[kind], 'sh', path];
}

async function exec(
  context: HarnessContext,
  argv: [string, ...string[]],
  until: number,
  options: { show?: true | 'stderr'; stdin?: Buffer } = {},
): Promise<ExecResult> {
  return context.sandbox.exec({
    argv,
    env: context.env,
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
    timeoutMs: Math.max(1, until - Date.now()),
    graceMs: context.graceMs,
    signal: context.signal,
    onOutput: (stream, bytes) => {
      if (options.show === true || options.show === stream) context.emit({ kind: 'output', stream, bytes });
    },
  });
}

/** A step that cannot be done is what a failing program is: status 1 and a line on stderr. */
function failed(context: HarnessContext, why: string): HarnessResult {
  context.emit({ kind: 'output', stream: 'stderr', bytes: Buffer.from(`${why}\n`, 'utf8') });
  return { outcome: 'exited', exitCode: 1, detail: why };
}

function ended(result: ExecResult): HarnessResult | null {
  if (result.outcome === 'exited' && result.exitCode === 0) return null;
  const detail = result.detail ?? result.signal;
  return {
    outcome: result.outcome,
    exitCode: result.exitCode,
    ...(result.limit === undefined ? {} : { limit: result.limit }),
    ...(detail === null ? {} : { detail }),
  };
}
