import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { firewall, isPalisadeError, newId, PalisadeError, registerJob } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { guard, reconnect as reconnectTo } from '../jobs/guardian.ts';
import { JobFile, type KeptJob } from '../jobs/job-file.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { serverPlace } from '../server/open-server.ts';
import { stateDirectory } from '../server/state-directory.ts';
import type { jobGuardCommand, jobReconnectCommand, jobRunCommand } from '../tree/job-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

const LOG_BYTES = 16 * 1024 * 1024;
const MOST_LOG_BYTES = 64 * 1024 * 1024;
/** How long a guardian may take to start the process, ms. */
const BEGIN_MS = 30_000;
const POLL_MS = 50;

/** All that a guardian is given of an environment: no credential is among it (AO-103). */
const OF_GUARDIAN = [
  'PATH',
  'SystemRoot',
  'WINDIR',
  'TEMP',
  'TMP',
  'TMPDIR',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

/** `pal job run -- PROGRAM…`: its ids and proof are on the disk before it is registered, so that no lost answer starts it twice. */
export const run: Handler<typeof jobRunCommand> = async (invocation, args, flags) => {
  const { program } = args;
  const [name] = program;
  if (name === undefined) throw new UsageError('it needs a program', { next: 'pal job run -- PROGRAM' });
  const logLimit = flags.logLimit ?? LOG_BYTES;
  if (logLimit > MOST_LOG_BYTES) throw new UsageError(`--log-limit is at most ${MOST_LOG_BYTES}`);
  const plane = await invocation.controlPlane();
  const session = (await plane.sessionFile?.())?.read();
  if (session === undefined)
    throw new UsageError('a job belongs to a session, and none was started here', {
      next: plane.sessionFile === undefined ? 'pal config set server ORIGIN' : 'pal session start',
    });
  const { origin, stateDirectory: state } = serverPlace(invocation.config, invocation.env);
  const kept: KeptJob = {
    format: 1,
    origin,
    project: (await plane.project?.()) ?? 'default',
    job_id: newId('pjob'),
    producer_id: newId('prod'),
    reporter_id: newId('rep'),
    proof: randomBytes(32).toString('hex'),
    program: [...program],
    directory: invocation.directory,
    environment: firewall(invocation.env, flags.env),
    log_limit_bytes: logLimit,
    phase: 'kept',
    sequence: 0,
    is_told: false,
  };
  const file = new JobFile(state, kept.job_id);
  if (!invocation.isDryRun) file.keep(kept);
  const answer = await register(invocation, file, {
    job_id: kept.job_id,
    producer_id: kept.producer_id,
    reporter_id: kept.reporter_id,
    reporter_verifier: createHash('sha256').update(kept.proof).digest('hex'),
    workstation_id: session.workstation_id,
    label: flags.label ?? basename(name),
    renew_for_seconds: 0,
    ...invocation.rehearsed,
  });
  if (!invocation.isDryRun) {
    file.keep({ ...kept, phase: 'registered' });
    await beginGuarding(file, state, kept);
  }
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [answer.job.id],
    text: () => [`${outcome(invocation, 'start')}${answer.job.id}  ${answer.job.label}`],
  });
  invocation.hint(`pal job show ${answer.job.id}`);
  return 0;
};

async function register(
  invocation: Invocation,
  file: JobFile,
  input: (typeof registerJob)['input']['_zod']['input'],
): Promise<(typeof registerJob)['output']['_zod']['output']> {
  try {
    return await invocation.call(registerJob, input);
  } catch (error) {
    // Refused for good, it is nobody's; in doubt, it is said that nothing was started.
    const isRefused = isPalisadeError(error) && error.facts.status < 500 && !error.facts.retryable;
    if (isRefused && !invocation.isDryRun) file.forget();
    else if (!invocation.isDryRun)
      invocation.err.line(
        `note: nothing was started; if it was registered: pal job reconnect ${input.job_id}`,
      );
    throw error;
  }
}

/** Starts the guardian, in a process of its own that outlives this one; returns when the process was started. Raises `start_failed`. */
async function beginGuarding(file: JobFile, state: string, { job_id: job }: KeptJob): Promise<void> {
  const [, entry = ''] = process.argv;
  const env = Object.fromEntries(
    OF_GUARDIAN.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const guardian = spawn(process.execPath, [entry, 'job', 'guard', job, '--state-dir', state], {
    detached: true,
    stdio: 'ignore',
    cwd: file.directory,
    env,
    windowsHide: true,
  });
  let isOver = false;
  guardian.once('error', () => (isOver = true)).once('exit', () => (isOver = true));
  guardian.unref();
  const end = performance.now() + BEGIN_MS;
  for (;;) {
    // Looked at first: what it did before it was over counts.
    const wasOver = isOver;
    const { phase, end: ended } = file.read();
    if (ended?.state === 'not_started')
      throw new PalisadeError(
        'start_failed',
        `${job} was not started`,
        ended.summary === undefined ? {} : { why: ended.summary },
      );
    if (phase === 'started' || phase === 'ended') return;
    if (wasOver || performance.now() > end)
      throw new PalisadeError('start_failed', `the guardian of ${job} did not begin`, {
        next: `pal job reconnect ${job}`,
      });
    await delay(POLL_MS);
  }
}

/** `pal job guard JOB`, which `job run` starts. */
export const guardOne: Handler<typeof jobGuardCommand> = async ({ config, env, interrupted }, args) => {
  await guard(new JobFile(stateDirectory(config.get('state_dir'), env), args.job), interrupted);
  return 0;
};

/** `pal job reconnect JOB`. */
export const reconnect: Handler<typeof jobReconnectCommand> = async (invocation, args) => {
  const { config, env, interrupted } = invocation;
  const file = new JobFile(stateDirectory(config.get('state_dir'), env), args.job);
  const seen = await reconnectTo(file, interrupted);
  const answer = { job: args.job, ...seen };
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [args.job],
    text: () => [`${outcome(invocation, 'report')}${args.job}  ${seen.state}`],
  });
  invocation.hint(`pal job show ${args.job}`);
  return 0;
};
