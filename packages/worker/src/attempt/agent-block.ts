import { join } from 'node:path';
import {
  firstModel,
  type HarnessEvent,
  type HarnessResult,
  INBOX_FILE,
  isCodingAgent,
  limits,
  RESULT_OUTPUT,
  toPalisadeError,
  type Usage,
} from '@palisade/contracts';
import { TailText } from '../output/tail-text.ts';
import { writeFileSafely } from '../overlay/safe-file.ts';
import { statusOf } from '../script/run-script.ts';
import { askingHelp } from './answers.ts';
import type { Resumption, RunningAttempt } from './context.ts';
import { hintAtDenial } from './denial-hint.ts';
import { type Ending, endingOfProgram } from './ending.ts';
import { byProvider } from './provider-fault.ts';
import { channelHelp, relayMessages } from './relay-messages.ts';

/** What one run of the agent left besides files. */
export interface AgentRun {
  readonly ending: Ending | null;
  readonly summary?: string;
  readonly usage?: Usage;
}

/** Characters of output in which a refusal of the sandbox is looked for. */
const HINT_CHARS = 4_000;

/**
 * Runs the harness once, as one block of the pipeline.
 *
 * @param resumption what the agent goes on with, or null to begin anew
 */
export async function runAgent(
  attempt: RunningAttempt,
  ordinal: number,
  resumption: Resumption | null,
): Promise<AgentRun> {
  const { spec, stop, log } = attempt;
  const out = log.block('agent');
  const tail = new TailText(attempt.redactor, HINT_CHARS);
  const startedAt = Date.now();
  let result: HarnessResult;
  const endRelay = relayMessages(attempt);
  try {
    result = await byProvider(`the harness ${attempt.harness.name}`, () =>
      attempt.harness.run({
        settings: spec.agent.run,
        systemPrompt: spec.agent.system_prompt,
        prompt: promptOf(attempt, resumption),
        model: firstModel(spec.model, spec.agent.model),
        modelAccess: attempt.modelAccess,
        resume: resumption?.session ?? null,
        env: attempt.env,
        workspaceDir: attempt.sandbox.workspacePath,
        sandbox: attempt.sandbox,
        timeoutMs: stop.remainingMs(),
        graceMs: spec.kill_grace_ms,
        signal: stop.signal,
        emit: (event: HarnessEvent) => {
          switch (event.kind) {
            case 'output':
              out.push(event.stream, event.bytes);
              tail.push(event.stream, event.bytes);
              break;
            case 'message':
              log.message(event.text);
              break;
            case 'tool':
              log.message(`${event.name}: ${event.title}`);
              break;
          }
        },
      }),
    );
  } finally {
    endRelay();
    out.end();
  }
  hintAtDenial(attempt, 'the agent', result, tail.end());
  for (const warning of result.warnings ?? []) attempt.report.warn(warning);
  if (result.session !== undefined) attempt.report.facts({ agent_session: result.session });
  leaveStructured(attempt, result.structured);
  const ending = endingOfAgent(attempt, result);
  attempt.report.block({
    kind: 'agent',
    ordinal,
    status: statusOf(result, stop.cause?.kind),
    ...(result.exitCode === null ? {} : { exit_code: result.exitCode }),
    duration_ms: Date.now() - startedAt,
    ...(ending?.reason === undefined ? {} : { detail: ending.reason }),
  });
  return {
    ending,
    ...(result.summary === undefined ? {} : { summary: result.summary }),
    ...(result.usage === undefined ? {} : { usage: result.usage }),
  };
}

/** A program that is no coding agent gets its own prompt, whatever went before: what it goes on with are files. */
function promptOf(attempt: RunningAttempt, resumption: Resumption | null): string | null {
  const { run } = attempt.spec.agent;
  if (!isCodingAgent(run.harness)) return attempt.prompt;
  const prompt = resumption?.prompt ?? attempt.prompt;
  // Without a task of its own the system prompt is the task, and stands where a prompt would.
  if (prompt === null) return prompt;
  const workspace = attempt.sandbox.workspacePath;
  return [
    prompt,
    ...('may_ask' in run && run.may_ask === false ? [] : [askingHelp(workspace)]),
    ...(attempt.inbox === null ? [] : [channelHelp(join(workspace, INBOX_FILE))]),
  ].join('\n\n');
}

/** A structured answer is an output like another, so that further items can take it (DI-161). */
function leaveStructured(attempt: RunningAttempt, answer: unknown): void {
  if (answer === undefined) return;
  const bytes = Buffer.from(`${JSON.stringify(answer)}\n`, 'utf8');
  if (bytes.length > limits.inputBytes) {
    attempt.report.warn(
      `the agent's structured answer has more than ${limits.inputBytes} bytes and was dropped`,
    );
    return;
  }
  try {
    writeFileSafely(attempt.handle.directory, `outputs/${RESULT_OUTPUT}`, bytes);
  } catch (error) {
    // The agent may have put something else in its place.
    attempt.report.warn(`the agent's structured answer was dropped: ${toPalisadeError(error).message}`);
  }
}

/** The agent has no time limit of its own: when it ran out of time, the attempt did. */
function endingOfAgent(attempt: RunningAttempt, result: HarnessResult): Ending | null {
  const ending = endingOfProgram(result, 'the agent', attempt.stop.cause);
  return ending?.code === 'timed_out' ? { ...ending, outcome: 'timed_out' } : ending;
}

/** Two usage reports as one: numbers add up, models unite; what both leave out stays unknown (FF-173). */
export function addUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = {};
  for (const key of ['input_tokens', 'output_tokens', 'cost_usd', 'turns', 'duration_ms'] as const)
    if (a[key] !== undefined || b[key] !== undefined) sum[key] = (a[key] ?? 0) + (b[key] ?? 0);
  const models = [...new Set([...(a.models ?? []), ...(b.models ?? [])])];
  return models.length === 0 ? sum : { ...sum, models };
}
