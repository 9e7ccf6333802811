import { type HarnessContext, type HarnessResult, PalisadeError, type Sandbox } from '@palisade/contracts';
import { type AgentReader, AgentStream } from './agent-stream.ts';
import type { AgentProgram } from './launch/find-program.ts';
import { splitUsage } from './session-usage.ts';
import { type Launch, launchAgent } from './launch/launch-agent.ts';

/** How one run of a vendor's CLI is started and read. */
export interface CodingAgentRun {
  readonly program: AgentProgram;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly files: Launch['files'];
  readonly stdin: string;
  readonly reader: AgentReader;
}

/** The end of an agent that was not started, and why. */
export function notStarted(detail: string): HarnessResult {
  return { outcome: 'start_failed', exitCode: null, detail };
}

/** A coding agent works on a prompt; raises `invalid_input` when there is none. */
export function assertPrompted(hasPrompt: boolean): void {
  if (!hasPrompt)
    throw new PalisadeError('invalid_input', 'a coding agent needs a prompt: give the item or its agent one');
}

/** True when the sandbox is no boundary: what the agent may do is what its user may do. */
export function isUnbounded(sandbox: Sandbox): boolean {
  return sandbox.posture.includes('unsandboxed-host');
}

/**
 * Runs a vendor's CLI in the sandbox and gives what its stream and its end say together. A clean exit
 * counts only when the stream told the end as well.
 */
export async function runCodingAgent(context: HarnessContext, run: CodingAgentRun): Promise<HarnessResult> {
  const stream = new AgentStream(run.reader, context.emit);
  const launch: Launch = {
    program: [...run.program.argv, ...run.args],
    files: run.files,
    socket: context.modelAccess?.socketPath ?? null,
  };
  const ended = await context.sandbox.exec({
    ...launchAgent(launch, run.stdin),
    env: run.env,
    timeoutMs: context.timeoutMs,
    graceMs: context.graceMs,
    signal: context.signal,
    onOutput: (from, bytes) => stream.push(from, bytes),
  });
  const report = stream.end();
  const { own, spent } = splitUsage(report.usage, context.resume);
  const isKept = 'resume' in context.settings && context.settings.resume === true;
  const isClean = ended.outcome === 'exited' && ended.exitCode === 0;
  const detail =
    report.problem ??
    (isClean && !report.isComplete
      ? 'its output ends before it told its result'
      : (ended.detail ?? ended.signal));
  return {
    outcome: ended.outcome,
    // A program that failed by its own word, or fell silent, did not end well whatever its status says.
    exitCode: isClean && (report.problem !== null || !report.isComplete) ? null : ended.exitCode,
    ...(ended.limit === undefined ? {} : { limit: ended.limit }),
    ...(detail === null ? {} : { detail }),
    ...(report.summary === undefined ? {} : { summary: report.summary }),
    ...(own === undefined ? {} : { usage: own }),
    ...(report.session === undefined
      ? {}
      : { session: { ...report.session, ...(isKept && spent !== undefined ? { spent } : {}) } }),
    ...(report.structured === undefined ? {} : { structured: report.structured }),
    ...(report.warnings.length === 0 ? {} : { warnings: report.warnings }),
  };
}
