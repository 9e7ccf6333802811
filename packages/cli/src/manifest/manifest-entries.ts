import { type DeployEntry, isPalisadeError } from '@palisade/contracts';
import { filesUnder } from '../directory-files.ts';
import type { Invocation } from '../invocation.ts';
import { UsageError } from '../tree/usage-error.ts';
import { type Problem, problem } from '../yaml/schema-problems.ts';
import { treeAt } from '../yaml/tree-value.ts';
import { readAgentFile } from './agent-file.ts';
import { containedPath } from './contained-path.ts';
import { type Disclosure, disclosureOf } from './manifest-disclosure.ts';
import type { ManifestFile } from './manifest-file.ts';
import type { Manifest, ManifestAgent, ManifestEnvironment } from './manifest-schema.ts';
import { type MergedSources, mergedSources, SecretReader } from './manifest-secrets.ts';

/** An entry, and where in the manifest it comes from. */
export interface ManifestEntry {
  readonly entry: DeployEntry;
  readonly path: readonly PropertyKey[];
}

export interface ManifestEntries {
  readonly entries: readonly ManifestEntry[];
  readonly problems: readonly Problem[];
  /** What was left alone, one line each. */
  readonly warnings: readonly string[];
  readonly disclosure: Disclosure;
}

/** What a manifest deploys, with its files and secrets read. Everything that cannot be read is told together. */
export async function manifestEntries(invocation: Invocation, file: ManifestFile): Promise<ManifestEntries> {
  const { manifest, tree, directory } = file;
  const entries: ManifestEntry[] = [];
  const problems: Problem[] = [];
  const warnings: string[] = [];
  const each = async <K extends keyof Manifest>(
    list: K,
    read: (
      item: NonNullable<Manifest[K]> extends readonly (infer I)[] ? I : never,
      at: At,
    ) => Promise<DeployEntry> | DeployEntry,
  ): Promise<void> => {
    for (const [index, item] of ((manifest[list] ?? []) as never[]).entries()) {
      const path = [list, index];
      const found: Problem[] = [];
      const at: At = async (inner, body) => {
        try {
          return await body();
        } catch (error) {
          // Missing files, variables that are not set: what this manifest gets wrong, not us.
          if (!(error instanceof UsageError) && !isPalisadeError(error)) throw error;
          found.push(problem(tree, [...path, ...inner], error.message));
          return undefined;
        }
      };
      const entry = await read(item, at);
      if (found.length === 0) entries.push({ entry, path });
      problems.push(...found);
    }
  };

  await each('capabilities', async ({ from, ...input }, at) => {
    const files = await at(['from'], () => filesUnder(containedPath(directory, from), from));
    return { kind: 'capability', input: { ...input, files: files ?? [] } };
  });
  await each('model_endpoints', (input) => ({ kind: 'model-endpoint', input }));
  const all = new Map((manifest.environments ?? []).map((environment) => [environment.name, environment]));
  const secrets = new SecretReader(invocation, directory);
  const known = new Map<string, MergedSources>();
  await each('environments', (environment, at) =>
    environmentEntry(environment, () => mergedSources(environment, all, known), secrets, at),
  );
  await each('pipelines', (input) => ({ kind: 'pipeline', input }));
  await each('agents', async (agent, at) => {
    const { input, left } = await agentInput(agent, directory, at);
    warnings.push(...left.map((words) => `agent ${agent.name}: ${words}`));
    return { kind: 'agent', input };
  });
  await each('queues', (input) => ({ kind: 'queue', input }));
  return { entries, problems, warnings, disclosure: disclosureOf(manifest, known) };
}

/** Runs a part of reading an entry; what it raises is a problem at this place of the entry. */
type At = <T>(inner: readonly PropertyKey[], body: () => T | Promise<T>) => Promise<T | undefined>;

async function environmentEntry(
  environment: ManifestEnvironment,
  merge: () => MergedSources,
  reader: SecretReader,
  at: At,
): Promise<DeployEntry> {
  const { name, allow_credential_patterns: allowed } = environment;
  const merged = await at(['extends'], merge);
  const values: [string, string][] = [];
  for (const [key, value] of merged?.values ?? []) {
    const text =
      typeof value === 'string'
        ? value
        : await at(['from_env', 'values'], () => reader.plainVariable(value.from_env));
    values.push([key, text ?? '']);
  }
  const secrets: [string, Awaited<ReturnType<SecretReader['read']>>][] = [];
  for (const [key, source] of merged?.secrets ?? []) {
    const inner = Object.hasOwn(environment.secrets ?? {}, key) ? ['secrets', key] : ['from_env', 'secrets'];
    const secret = await at(inner, () => reader.read(source));
    if (secret !== undefined) secrets.push([key, secret]);
  }
  return {
    kind: 'env',
    input: {
      name,
      values: Object.fromEntries(values),
      secrets: Object.fromEntries(secrets),
      ...(allowed === undefined ? {} : { allow_credential_patterns: allowed }),
    },
  };
}

async function agentInput(
  { from, ...input }: ManifestAgent,
  directory: string,
  at: At,
): Promise<{ readonly input: Omit<ManifestAgent, 'from'>; readonly left: readonly string[] }> {
  if (from === undefined) return { input, left: [] };
  const file = await at(['from'], () => readAgentFile(containedPath(directory, from), from));
  if (file === undefined) return { input, left: [] };
  const left = file.ignored.map((field) => `${from} says ${field}, which is left alone`);
  if (input.system_prompt !== undefined)
    await at(['system_prompt'], () => {
      throw new UsageError('is given here and by the file');
    });
  const { run } = input;
  // A limit that the manifest sets is the operator's and stands.
  const isLimited = 'permission' in run || 'allowed_tools' in run;
  const takesTools = run.harness === 'claude-code' && file.tools !== undefined && !isLimited;
  if (file.tools !== undefined && !takesTools) left.push(`${from} says tools, which is left alone`);
  return {
    input: {
      ...input,
      ...(file.systemPrompt === '' ? {} : { system_prompt: file.systemPrompt }),
      ...(file.model === undefined || input.model !== undefined ? {} : { model: file.model }),
      run: takesTools ? { ...run, permission: 'strict', allowed_tools: [...(file.tools ?? [])] } : run,
    },
    left,
  };
}

/** Where in the manifest a problem of the deployment's `entries` stands. */
export function entryProblem(
  file: ManifestFile,
  entries: readonly ManifestEntry[],
  issue: { readonly path: string; readonly message: string },
): Problem {
  const [, index, rest = ''] = /^entries\[(\d+)\](?:\.input)?\.?(.*)$/.exec(issue.path) ?? [];
  const path = entries[Number(index)]?.path;
  if (path === undefined) return problem(file.tree, [], issue.message);
  const inner = rest === 'files' || rest === '' ? ['from'] : partsOf(rest);
  const isThere = treeAt(file.tree, [...path, inner[0] ?? '']) !== undefined;
  return problem(file.tree, isThere ? [...path, ...inner] : path, issue.message);
}

/** `run.args[2]` as its parts. */
function partsOf(path: string): readonly PropertyKey[] {
  return [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([word, index]) =>
    index === undefined ? word : Number(index),
  );
}
