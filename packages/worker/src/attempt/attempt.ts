import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import {
  ATTEMPT_FILES,
  type AttemptResult,
  AttemptSpec,
  faultPoint,
  type Harness,
  limits,
  MODEL_CREDENTIAL,
  PalisadeError,
  parseInput,
  type Sandbox,
  type SandboxProvider,
  toPalisadeError,
  defaultPipeline,
} from '@palisade/contracts';
import { recordBaseline } from '@palisade/workspace';
import { hashFile } from '../hash-file.ts';
import { commandHarness } from '../harness/command.ts';
import { acpHarness } from '../harness/acp.ts';
import { claudeCodeHarness } from '../harness/claude-code.ts';
import { codexHarness } from '../harness/codex.ts';
import { scriptedHarness } from '../harness/scripted.ts';
import { OutputLog } from '../output/output-log.ts';
import { ProductScanner } from '../redaction/product-scanner.ts';
import { Redactor } from '../redaction/redactor.ts';
import { keepSession } from './agent-session.ts';
import { prepareResumption } from './resumption.ts';
import { findShell } from '../script/shell.ts';
import { closeModel, openModel } from './model-access.ts';
import type { AttemptContext, RunningAttempt } from './context.ts';
import { guardDisk } from './disk-guard.ts';
import { type Ending, endingOfError } from './ending.ts';
import { runPipeline } from './pipeline.ts';
import { allocateSandbox, attemptEnvironment, choose, fillWorkspace, openWorkspace } from './prepare.ts';
import { byProvider } from './provider-fault.ts';
import { AttemptReport } from './report.ts';
import { assertRequirements } from './requirements.ts';
import { readDeps, readSummary, readUsage } from './sentinels.ts';
import { runSetup } from './setup.ts';
import { Stop } from './stop.ts';

/** The harnesses every worker has. */
export const HARNESSES: readonly Harness[] = [
  commandHarness,
  scriptedHarness,
  claudeCodeHarness,
  codexHarness,
  acpHarness,
];

/** Plain environment values shorter than this are not hidden in the log (DI-104). */
const MIN_PLAIN_CHARS = 8;

export interface AttemptOptions {
  /** Holds `spec.json`; everything the attempt leaves goes there (`ATTEMPT_FILES`). */
  readonly attemptDir: string;
  /** The providers the attempt may name. */
  readonly sandboxes: readonly SandboxProvider[];
  /** In place of {@link HARNESSES}. */
  readonly harnesses?: readonly Harness[];
  /** Values of the names in `secret_names`. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Aborting cancels the attempt: its programs end, what is there is captured. */
  readonly signal?: AbortSignal;
}

/**
 * Carries out one attempt that has been claimed (DI-101). Resolves with the attempt's end whatever
 * happens, and only after its sandbox is destroyed. Writes `output.log` and `products/`; the result
 * itself is the caller's to write.
 */
export async function runAttempt(options: AttemptOptions): Promise<AttemptResult> {
  const attemptDir = resolve(options.attemptDir);
  let spec: AttemptSpec;
  try {
    spec = readSpec(attemptDir);
  } catch (error) {
    const report = new AttemptReport(new Redactor(options.secrets), null);
    return report.result({ attempt_id: basename(attemptDir) }, endingOfError(error));
  }
  const redactor = new Redactor({ ...longValues(spec.env_values), ...options.secrets });
  const stop = new Stop(spec.deadline_at, options.signal);
  let log: OutputLog;
  try {
    log = new OutputLog(
      join(attemptDir, ATTEMPT_FILES.log),
      redactor,
      (error) => stop.fault(toPalisadeError(error)),
      spec.sandbox.output_bytes,
    );
  } catch (error) {
    stop.dispose();
    return new AttemptReport(redactor, null).result(spec, endingOfError(error));
  }
  const report = new AttemptReport(redactor, log);
  const { [MODEL_CREDENTIAL]: modelCredential, ...secrets } = options.secrets;
  const scanner = new ProductScanner(options.secrets);
  const context: AttemptContext = {
    spec,
    attemptDir,
    secrets,
    modelCredential,
    log,
    report,
    redactor,
    scanner,
    stop,
  };
  let ending: Ending;
  try {
    ending = await perform(context, options);
  } catch (error) {
    ending = endingOfError(error);
  }
  stop.dispose();
  for (const loss of log.losses()) report.warn(loss);
  log.phase('finished', ending.outcome);
  log.close();
  await addressLog(context);
  return report.result(spec, ending);
}

async function perform(context: AttemptContext, options: AttemptOptions): Promise<Ending> {
  const { spec, stop, report, redactor } = context;
  const { provider, harness } = choose(spec, options.sandboxes, options.harnesses ?? HARNESSES);
  const missing = spec.secret_names.filter((name) => !Object.hasOwn(context.secrets, name));
  if (missing.length > 0)
    throw new PalisadeError('secret_missing', `the worker was not given the secret ${missing.join(', ')}`);
  if (redactor.tooShort.length > 0)
    report.warn(`too short to be hidden in output: the secret ${redactor.tooShort.join(', ')}`);
  stop.check();
  const handle = await openWorkspace(context);
  faultPoint('worker.workspace-ready');
  stop.check();
  const { setup, prompt, inbox } = fillWorkspace(context, handle, harness);
  const hasPrompt = prompt !== null || spec.agent.system_prompt !== null;
  const request = { settings: spec.agent.run, path: process.env['PATH'] ?? '', hasPrompt };
  const needs = await byProvider(`the harness ${harness.name}`, async () => harness.prepare?.(request));
  const model = await openModel(context);
  try {
    const shown = [...(needs?.readOnlyPaths ?? []), ...(model === null ? [] : [model.relay.directory])];
    const sandbox = await allocateSandbox(context, provider, handle, shown);
    const { disk_bytes: bytes = limits.diskBytes, disk_files: files = limits.diskFiles } = spec.sandbox;
    const unguard = guardDisk(context.attemptDir, { bytes, files }, (error) => stop.fault(error));
    try {
      const env = attemptEnvironment(context, sandbox, hasPrompt);
      const shell = () => findShell(sandbox, env);
      // Before the agent could put another one on its PATH. Without scripts of ours no program is started for it.
      if (setup.length > 0 || blocksOf(spec).some(({ kind }) => kind === 'script')) await shell();
      const modelAccess = model?.access ?? null;
      return await execute(
        { ...context, handle, sandbox, shell, harness, env, prompt, inbox, modelAccess, resumption: null },
        setup,
      );
    } finally {
      unguard();
      await endSandbox(context, sandbox);
    }
  } finally {
    inbox?.close();
    if (model !== null) closeModel(context, model);
  }
}

async function execute(attempt: RunningAttempt, setup: Parameters<typeof runSetup>[1]): Promise<Ending> {
  const { spec, report, stop, log } = attempt;
  const root = attempt.handle.directory;
  await runSetup(attempt, setup);
  if ((spec.agent.context_requires ?? []).length > 0) log.phase('requirements');
  await assertRequirements(attempt);
  const depsAtSetup = readDeps(attempt, root);
  log.phase('baseline');
  await recordBaseline(attempt.handle);
  stop.check();
  const going = { ...attempt, resumption: await prepareResumption(attempt) };
  stop.check();
  const { ending, summary, usage } = await runPipeline(going, blocksOf(spec));
  await keepSession(going, ending);
  const depsAtFinish = readDeps(attempt, root);
  if (depsAtSetup !== null && depsAtFinish !== null)
    report.facts({ deps: { at_setup: depsAtSetup, at_finish: depsAtFinish, tier: 'recorded' } });
  const words = readSummary(attempt, root) ?? summary;
  if (words !== undefined) report.summary(words);
  const spent = usage ?? readUsage(attempt, root);
  if (spent !== null) report.usage(spent);
  return ending;
}

function blocksOf({ pipeline, verify }: AttemptSpec): AttemptSpec['pipeline'] {
  return pipeline.length > 0 ? pipeline : [...defaultPipeline(verify)];
}

function readSpec(attemptDir: string): AttemptSpec {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(join(attemptDir, ATTEMPT_FILES.spec), 'utf8'));
  } catch (error) {
    throw new PalisadeError('invalid_input', 'spec.json cannot be read or is not JSON', { cause: error });
  }
  return parseInput(AttemptSpec, value, 'spec.json');
}

/** A sandbox that cannot be ended is a fault of the machine: the attempt's own end stands, but it is told. */
async function endSandbox(context: AttemptContext, sandbox: Sandbox): Promise<void> {
  try {
    await sandbox.destroy();
  } catch (error) {
    context.report.warn(`the sandbox was not cleaned up: ${endingOfError(error).reason ?? 'unknown fault'}`);
  }
}

/** Addresses the finished log; the engine stores it from where it lies. */
async function addressLog(context: AttemptContext): Promise<void> {
  try {
    context.report.facts({ log_ref: await hashFile(join(context.attemptDir, ATTEMPT_FILES.log)) });
  } catch (error) {
    context.report.warn(`the log cannot be read: ${endingOfError(error).reason ?? 'unknown fault'}`);
  }
}

function longValues(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value.length >= MIN_PLAIN_CHARS));
}
