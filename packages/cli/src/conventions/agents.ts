import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentInput, isPalisadeError, limits, NewName, PalisadeError } from '@palisade/contracts';
import { type AgentFile, readAgentFile } from '../manifest/agent-file.ts';
import { containedPath } from '../manifest/contained-path.ts';
import { foreignLine, foreignName } from '../output/foreign-text.ts';
import { UsageError } from '../tree/usage-error.ts';

const UNDER = '.claude/agents';
const MAX_TOTAL_BYTES = 16 * limits.inputBytes;

export interface FoundAgents {
  readonly agents: readonly AgentInput[];
  readonly warnings: readonly string[];
}

/**
 * The agents that a directory describes for Claude Code, sorted by name (DI-051). They run by that harness,
 * at the endpoint the caller names; see {@link AgentFile} for what a file may say. Raises `invalid_input`
 * with every file that cannot be read.
 */
export function readAgents(root: string, modelEndpoint: string | undefined): FoundAgents {
  const warnings: string[] = [];
  const problems: { path: string; message: string }[] = [];
  const found = new Map<string, { readonly agent: AgentInput; readonly from: string }>();
  let bytes = 0;
  for (const file of markdownFiles(containedPath(root, UNDER), warnings)) {
    const from = `${UNDER}/${file}`;
    let read: AgentFile;
    try {
      read = readAgentFile(join(root, from), foreignName(from));
    } catch (error) {
      if (!(error instanceof UsageError) && !isPalisadeError(error)) throw error;
      problems.push({ path: foreignName(from), message: error.message });
      continue;
    }
    bytes += read.systemPrompt.length;
    if (bytes > MAX_TOTAL_BYTES || found.size === limits.deployEntries)
      throw new PalisadeError(
        'too_large',
        `${UNDER} has more than ${MAX_TOTAL_BYTES} characters or ${limits.deployEntries} agents`,
      );
    const agent = agentOf(read, file, modelEndpoint);
    if (!NewName.safeParse(agent.name).success) {
      problems.push({ path: foreignName(from), message: 'its name cannot be that of an agent' });
      continue;
    }
    for (const field of read.ignored)
      warnings.push(`${foreignName(from)} says ${foreignLine(field)}, which is left alone`);
    const before = found.get(agent.name);
    if (before !== undefined && JSON.stringify(before.agent) !== JSON.stringify(agent))
      warnings.push(
        `${foreignName(before.from)} is left out: ${foreignName(from)} has the same name and other content`,
      );
    found.set(agent.name, { agent, from });
  }
  if (problems.length > 0)
    throw new PalisadeError(
      'invalid_input',
      `${UNDER} has ${problems.length === 1 ? 'a file' : `${problems.length} files`} that cannot be read; nothing was changed`,
      {
        issues: problems,
      },
    );
  const agents = [...found.values()].map(({ agent }) => agent);
  return { agents: agents.toSorted((a, b) => (a.name < b.name ? -1 : 1)), warnings };
}

function agentOf(read: AgentFile, file: string, modelEndpoint: string | undefined): AgentInput {
  return {
    name: read.name ?? file.replace(/\.md$/, ''),
    ...(read.systemPrompt === '' ? {} : { system_prompt: read.systemPrompt }),
    ...(read.model === undefined ? {} : { model: read.model }),
    run: {
      harness: 'claude-code',
      ...(modelEndpoint === undefined ? {} : { model_endpoint: modelEndpoint }),
      ...(read.tools === undefined ? {} : { permission: 'strict' as const, allowed_tools: [...read.tools] }),
    },
  };
}

function markdownFiles(directory: string, warnings: string[]): string[] {
  if (lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
    .toSorted()
    .filter((name) => {
      const facts = lstatSync(join(directory, name));
      if (facts.isSymbolicLink())
        warnings.push(`${UNDER}/${foreignName(name)} is left out: it is a symbolic link`);
      return facts.isFile();
    });
}
