import {
  deploy,
  type DeployEntry,
  isPalisadeError,
  listStaleAgents,
  PalisadeError,
  rebindAgent,
} from '@palisade/contracts';
import type { Input, Invocation, Output } from '../invocation.ts';
import { emit } from '../output/format.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { changeExit, changeLines, changeSummary } from './deploy-rows.ts';

/** What a directory has, and how it is set. */
export interface Sync {
  /** Owns the names, so that a directory changes none that somebody else registered. */
  readonly owner: string;
  readonly entries: readonly DeployEntry[];
  readonly warnings: readonly string[];
  readonly adopts: boolean;
}

/** Sets what a directory has, and gives the answer with what else there is to say. */
export async function synchronize(
  invocation: Invocation,
  { owner, entries, warnings, adopts }: Sync,
): Promise<Output<typeof deploy> & { warnings: readonly string[] }> {
  for (const warning of warnings) invocation.err.line(`warning: ${foreignLine(warning)}`);
  const input: Input<typeof deploy> = { name: owner, entries: [...entries] };
  try {
    const answer = await invocation.call(deploy, {
      ...input,
      ...(adopts ? { adopt: true } : {}),
      ...invocation.rehearsed,
    });
    return { ...answer, warnings };
  } catch (error) {
    throw named(error, entries);
  }
}

/** A refusal with the names of what is refused in place of their numbers. */
function named(error: unknown, entries: readonly DeployEntry[]): unknown {
  if (!isPalisadeError(error)) return error;
  const issues = error.issues.map(({ path, message }) => {
    const [, index, rest = ''] = /^entries\[(\d+)\](?:\.input)?\.?(.*)$/.exec(path) ?? [];
    const entry = entries[Number(index)];
    return { path: entry === undefined ? path : `${entry.kind} ${entry.input.name} ${rest}`.trim(), message };
  });
  return new PalisadeError(error.code, error.message.replace(/: entries\[.*$/, ''), { issues, cause: error });
}

/** Prints what was set. Exit code of the failure, if there was one. */
export function printSync(
  invocation: Invocation,
  answer: Output<typeof deploy> & {
    readonly warnings: readonly string[];
    readonly stale?: readonly string[];
  },
): number {
  emit(invocation, {
    json: answer,
    records: answer.data,
    ids: answer.data.map(({ name }) => name),
    text: () => [...changeLines(invocation, answer.data), changeSummary(invocation, answer.data)],
  });
  return changeExit(answer.data);
}

/** Agents with capabilities that have newer content than they are bound to, by name. */
export async function staleAgents(invocation: Invocation): Promise<string[]> {
  const { data } = await invocation.call(listStaleAgents, {});
  return [...new Set(data.map(({ agent }) => agent))];
}

/** Binds agents to what their capabilities are now. */
export async function rebindAgents(
  invocation: Invocation,
  names: readonly string[],
): Promise<Output<typeof rebindAgent>[]> {
  const answers: Output<typeof rebindAgent>[] = [];
  for (const name of names) {
    // One call a name, each repeatable by itself.
    const idempotencyKey = `${invocation.idempotencyKey}|${name}`;
    answers.push(await invocation.call(rebindAgent, { name, ...invocation.rehearsed }, { idempotencyKey }));
  }
  return answers;
}

/** One line per agent that was bound anew. */
export function rebindLines(
  invocation: Invocation,
  answers: readonly Output<typeof rebindAgent>[],
): string[] {
  return answers.map(({ name, revision, created }) => {
    const verb = invocation.isDryRun ? 'would rebind  ' : 'ok       ';
    return `${verb}agent ${foreignLine(name)}  ${created ? `revision ${revision}` : 'unchanged'}`;
  });
}
