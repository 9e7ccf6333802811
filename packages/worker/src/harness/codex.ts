import { join } from 'node:path';
import {
  type CodexChoice,
  type Harness,
  type HarnessContext,
  type HarnessNeeds,
  type HarnessRequest,
  type HarnessResult,
  modelLevel,
  type ModelLevel,
} from '@palisade/contracts';
import { wholePrompt } from '../attempt/prompt.ts';
import { CodexReader } from './codex-reader.ts';
import { type AgentProgram, findAgentProgram } from './launch/find-program.ts';
import { LAUNCHER_PATHS, RELAY_ORIGIN } from './launch/launch-agent.ts';
import { assertPrompted, isUnbounded, notStarted, runCodingAgent } from './run-coding-agent.ts';

const INSTALL = 'npm install -g @openai/codex';
/** Where the CLI keeps its things, below the attempt's private home. */
const CONFIG = '.codex';
const SESSIONS = 'sessions';
/** Holds the placeholder; the CLI is told to read its credential there. */
const PLACEHOLDER = 'MODEL_RELAY_KEY';
/** Credentials the CLI finds by itself, in the order in which one of them is chosen. */
const CREDENTIALS = ['CODEX_API_KEY', 'OPENAI_API_KEY', 'CODEX_ACCESS_TOKEN'] as const;
/**
 * Without a word of the operator the levels mean how hard the CLI's own default model thinks: unlike
 * Claude Code it has no lasting names for models of a strength (DI-134).
 */
const EFFORT: Readonly<Record<ModelLevel, string>> = { fast: 'low', standard: 'medium', max: 'high' };

/**
 * Codex, headless (DI-131, DI-062). Its configuration is the attempt's own: a repository is not trusted
 * unless the agent's definition says so, which leaves of it the words of its AGENTS.md (FF-128). What
 * capabilities bring below `.codex/` counts, because an operator registered it.
 */
export const codexHarness: Harness = {
  name: 'codex',
  configDirectory: CONFIG,
  sessions: {
    directory: SESSIONS,
    isPart: (path, id) => /(?:^|\/)rollout-[^/]*$/.test(path) && path.endsWith(`-${id}.jsonl`),
  },

  async prepare({ settings, path, hasPrompt }: HarnessRequest): Promise<HarnessNeeds> {
    assertPrompted(hasPrompt);
    return { readOnlyPaths: [...programOf(chosen(settings), path).paths, ...LAUNCHER_PATHS] };
  },

  async run(context: HarnessContext): Promise<HarnessResult> {
    const settings = chosen(context.settings);
    if ((settings.permission ?? 'bypass') !== 'bypass' && !isUnbounded(context.sandbox))
      return notStarted(
        `Codex holds its agent to the permission ${settings.permission} by a sandbox of its own, which cannot be made inside of this one; use bypass, here this sandbox is the boundary`,
      );
    const env = environmentOf(context);
    if (env === null)
      return notStarted(
        'it has no credential: give the agent a model_endpoint, or its environment CODEX_API_KEY',
      );
    const schema = settings.result_schema;
    const config = env['CODEX_HOME'] ?? '';
    const schemaFile = join(config, 'palisade-result-schema.json');
    const { model, words } = modelWords(context);
    return runCodingAgent(context, {
      program: programOf(settings, env['PATH'] ?? ''),
      args: [
        'exec',
        '--json',
        '--color=never',
        '--skip-git-repo-check',
        ...permissionWords(settings),
        ...(settings.trust_repository === true ? ['--trust'] : []),
        ...setting('check_for_update_on_startup', false),
        ...setting('analytics.enabled', false),
        ...(context.modelAccess === null ? [] : providerWords()),
        ...words,
        ...(schema === undefined ? [] : ['--output-schema', schemaFile]),
        ...(context.resume === null ? [] : ['resume', context.resume.id]),
        '-',
      ],
      env,
      files: [
        // The CLI wants its directory to exist.
        { path: join(config, 'config.toml'), text: '', isDefault: true },
        ...(context.resume?.files ?? []).map(({ path, text }) => ({
          path: join(config, SESSIONS, path),
          text,
        })),
        ...(schema === undefined ? [] : [{ path: schemaFile, text: JSON.stringify(schema) }]),
      ],
      // A session that is gone on with has been told the operator's words.
      stdin: wholePrompt(context.resume === null ? context.systemPrompt : null, context.prompt) ?? '',
      reader: new CodexReader(context.emit, model, schema !== undefined),
    });
  },
};

function chosen(settings: HarnessContext['settings']): CodexChoice {
  if (settings.harness !== 'codex') throw new TypeError('the codex harness got the settings of another');
  return settings;
}

function programOf(settings: CodexChoice, path: string): AgentProgram {
  return findAgentProgram({ name: 'codex', program: settings.program, path, install: INSTALL });
}

function permissionWords({ permission }: CodexChoice): string[] {
  switch (permission ?? 'bypass') {
    case 'bypass':
      return ['--dangerously-bypass-approvals-and-sandbox'];
    case 'accept-edits':
      return ['--sandbox', 'workspace-write'];
    default:
      return ['--sandbox', 'read-only'];
  }
}

/** A setting that goes before those of files. JSON's strings, booleans and flat objects are TOML as well. */
function setting(name: string, value: string | boolean): string[] {
  return ['-c', `${name}=${JSON.stringify(value)}`];
}

/** The relay as the CLI's only provider. */
function providerWords(): string[] {
  const provider = 'model_providers.relay';
  return [
    ...setting('model_provider', 'relay'),
    ...setting(`${provider}.name`, 'relay'),
    ...setting(`${provider}.base_url`, `${RELAY_ORIGIN}/v1`),
    ...setting(`${provider}.env_key`, PLACEHOLDER),
    ...setting(`${provider}.wire_api`, 'responses'),
  ];
}

function modelWords({ model, modelAccess }: HarnessContext): { model: string | null; words: string[] } {
  const level = model === null ? null : modelLevel(model);
  const name = level === null ? model : (modelAccess?.models[level] ?? null);
  if (name !== null) return { model: name, words: ['--model', name] };
  return { model: null, words: level === null ? [] : setting('model_reasoning_effort', EFFORT[level]) };
}

/** The program's environment with exactly one credential, or null when it would have none (DI-063). */
function environmentOf({ env, modelAccess, workspaceDir }: HarnessContext): Record<string, string> | null {
  const credential = CREDENTIALS.map((name) => env[name] ?? '').find((value) => value !== '');
  if (modelAccess === null && credential === undefined) return null;
  const own = Object.fromEntries(
    Object.entries(env).filter(([name]) => !(CREDENTIALS as readonly string[]).includes(name)),
  );
  if (modelAccess !== null) delete own['OPENAI_BASE_URL'];
  return {
    ...own,
    ...(modelAccess === null
      ? { CODEX_API_KEY: credential ?? '' }
      : { [PLACEHOLDER]: modelAccess.placeholder }),
    CODEX_HOME: join(env['HOME'] ?? workspaceDir, CONFIG),
  };
}
