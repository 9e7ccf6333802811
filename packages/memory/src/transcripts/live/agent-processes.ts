import { openFiles, ownLineage, type ProcessView, viewProcesses } from '@palisade/process';
import type { Harness } from '../events.ts';

/** A running agent program. */
export interface AgentProcess {
  readonly harness: Harness;
  readonly pid: number;
  readonly terminal: string | null;
  readonly directory: string | null;
  /** Unix ms. */
  readonly startedAt: number;
  /** Files that it or a program it started has open. */
  readonly files: readonly string[];
}

const NAMES: Readonly<Record<string, Harness>> = {
  claude: 'claude-code',
  codex: 'codex',
  gemini: 'gemini-cli',
  copilot: 'copilot',
  opencode: 'opencode',
};
/** Of scripts that are run by a runtime. */
const PACKAGES: readonly (readonly [RegExp, Harness])[] = [
  [/@anthropic-ai\/claude-code\//, 'claude-code'],
  [/@openai\/codex\//, 'codex'],
  [/@google\/gemini-cli\//, 'gemini-cli'],
  [/@github\/copilot\//, 'copilot'],
  [/\/opencode-ai\//, 'opencode'],
];
const RUNTIME = /^(?:node|nodejs|bun|deno)(?:\d+)?$/;

/** The agent programs that run, each once however many processes it is made of; with a terminal unless `isAny`. */
export function agentProcesses(isAny: boolean): readonly AgentProcess[] {
  const all = viewProcesses();
  const byPid = new Map(all.map((each) => [each.pid, each]));
  const agents = new Map(
    all.flatMap((each) => {
      const harness = harnessOf(each.command);
      return harness === undefined || (each.terminal === null && !isAny)
        ? []
        : [[each.pid, harness] as const];
    }),
  );
  /** The process of the same program that started this one, or itself. */
  const topOf = (view: ProcessView): number => {
    let top = view.pid;
    const seen = new Set<number>();
    for (
      let at: ProcessView | undefined = view;
      at !== undefined && !seen.has(at.pid);
      at = byPid.get(at.parent)
    ) {
      seen.add(at.pid);
      if (agents.get(at.pid) === agents.get(view.pid)) top = at.pid;
    }
    return top;
  };
  const groups = Map.groupBy(
    [...agents.keys()].flatMap((pid) => byPid.get(pid) ?? []),
    topOf,
  );
  return [...groups].flatMap(([pid, members]) => {
    const view = byPid.get(pid);
    const harness = agents.get(pid);
    if (view === undefined || harness === undefined) return [];
    const { terminal, directory, startedAt } = view;
    return [
      {
        harness,
        pid,
        terminal,
        directory,
        startedAt,
        files: members.flatMap((member) => openFiles(member.pid)),
      },
    ];
  });
}

/** The nearest program of an agent that this was started by; null when there is none. */
export function callingAgent(): number | null {
  const above = ownLineage();
  const agents = new Set(agentProcesses(true).map(({ pid }) => pid));
  return [...above].find((pid) => agents.has(pid)) ?? null;
}

/** Which program a command line is of, by the name of what is run. */
export function harnessOf(command: readonly string[]): Harness | undefined {
  const [program = '', script = ''] = command;
  const named = NAMES[nameOf(program)];
  if (named !== undefined) return named;
  if (!RUNTIME.test(nameOf(program))) return undefined;
  return PACKAGES.find(([path]) => path.test(script))?.[1] ?? NAMES[nameOf(script)];
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.(?:[cm]?js|exe)$/, '');
}
