import { join } from 'node:path';
import {
  type ClaudeCodeChoice,
  type Harness,
  type HarnessContext,
  type HarnessNeeds,
  type HarnessRequest,
  type HarnessResult,
  type ModelAccess,
  modelLevel,
  type ModelLevel,
} from '@palisade/contracts';
import { withOneCredential, withPlaceholder } from './claude-credential.ts';
import { ClaudeReader } from './claude-reader.ts';
import { type AgentProgram, findAgentProgram } from './launch/find-program.ts';
import { type Launch, LAUNCHER_PATHS, RELAY_ORIGIN } from './launch/launch-agent.ts';
import { assertPrompted, isUnbounded, notStarted, runCodingAgent } from './run-coding-agent.ts';

const INSTALL = 'npm install -g @anthropic-ai/claude-code';
/** Where the CLI keeps its things, below the attempt's private home. */
const CONFIG = '.claude';
const SESSIONS = 'projects';
/** The CLI's own aliases for the levels (DI-134). */
const ALIASES: Readonly<Record<ModelLevel, string>> = { fast: 'haiku', standard: 'sonnet', max: 'opus' };

/**
 * Claude Code, headless (DI-131). Its configuration is the attempt's own: nothing of the user who started
 * the server, and nothing of the repository but the words of its CLAUDE.md, unless the agent's definition
 * trusts the repository (FF-128). What capabilities bring below `.claude/` counts, because an operator
 * registered it.
 */
export const claudeCodeHarness: Harness = {
  name: 'claude-code',
  configDirectory: CONFIG,
  sessions: {
    directory: SESSIONS,
    isPart: (path, id) => {
      const [, name] = path.split('/');
      return name === `${id}.jsonl` || name === id;
    },
  },

  async prepare({ settings, path, hasPrompt }: HarnessRequest): Promise<HarnessNeeds> {
    assertPrompted(hasPrompt);
    return { readOnlyPaths: [...programOf(chosen(settings), path).paths, ...LAUNCHER_PATHS] };
  },

  async run(context: HarnessContext): Promise<HarnessResult> {
    const settings = chosen(context.settings);
    const env = environmentOf(context, settings);
    if (env === null)
      return notStarted(
        `it has no credential: give the agent a model_endpoint, or its environment ${settings.auth === 'subscription' ? 'CLAUDE_CODE_OAUTH_TOKEN' : 'ANTHROPIC_API_KEY'}`,
      );
    const config = env['CLAUDE_CONFIG_DIR'] ?? '';
    const prompt = context.prompt ?? context.systemPrompt ?? '';
    const system = context.prompt === null ? null : context.systemPrompt;
    const systemFile = join(config, 'palisade-system-prompt.md');
    const permissions = { allow: settings.allowed_tools ?? [] };
    return runCodingAgent(context, {
      program: programOf(settings, env['PATH'] ?? ''),
      args: [
        '-p',
        '--output-format=stream-json',
        '--verbose',
        '--input-format=text',
        `--setting-sources=${settings.trust_repository === true ? 'user,project' : 'user'}`,
        `--settings=${join(config, 'palisade-settings.json')}`,
        `--mcp-config=${join(config, 'mcp.json')}`,
        ...(settings.trust_repository === true ? [] : ['--strict-mcp-config']),
        ...permissionWords(settings),
        ...(system === null ? [] : ['--append-system-prompt-file', systemFile]),
        ...modelWords(context.model),
        ...(context.resume === null ? [] : [`--resume=${context.resume.id}`]),
        ...(settings.max_turns === undefined ? [] : ['--max-turns', String(settings.max_turns)]),
        ...(settings.max_cost_usd === undefined ? [] : ['--max-budget-usd', String(settings.max_cost_usd)]),
        ...(settings.result_schema === undefined
          ? []
          : ['--json-schema', JSON.stringify(settings.result_schema)]),
      ],
      env,
      files: [
        { path: join(config, 'palisade-settings.json'), text: JSON.stringify({ permissions }) },
        { path: join(config, 'mcp.json'), text: '{"mcpServers":{}}', isDefault: true },
        ...(system === null ? [] : [{ path: systemFile, text: system }]),
        ...sessionFiles(context, join(config, SESSIONS)),
        // The repository's words are read like a user's own; its settings are not.
        ...(settings.trust_repository === true
          ? []
          : [{ path: join(config, 'rules/repository.md'), text: `@${context.workspaceDir}/CLAUDE.md\n` }]),
      ],
      stdin: prompt,
      reader: new ClaudeReader(context.emit),
    });
  },
};

/** Sessions lie under the place they are about, which need not be the same one every time. */
function sessionFiles({ resume, workspaceDir }: HarnessContext, directory: string): Launch['files'] {
  const place = workspaceDir.replaceAll(/[^A-Za-z0-9]/g, '-');
  return (resume?.files ?? []).map(({ path, text }) => ({
    path: join(directory, place, path.slice(path.indexOf('/') + 1)),
    text,
  }));
}

function chosen(settings: HarnessContext['settings']): ClaudeCodeChoice {
  if (settings.harness !== 'claude-code')
    throw new TypeError('the claude-code harness got the settings of another');
  return settings;
}

function programOf(settings: ClaudeCodeChoice, path: string): AgentProgram {
  return findAgentProgram({ name: 'claude', program: settings.program, path, install: INSTALL });
}

function permissionWords({ permission, allowed_tools: tools }: ClaudeCodeChoice): string[] {
  switch (permission ?? (tools === undefined ? 'bypass' : 'strict')) {
    case 'bypass':
      return ['--dangerously-skip-permissions'];
    case 'accept-edits':
      return ['--permission-mode', 'acceptEdits'];
    case 'strict':
      return ['--permission-mode', 'dontAsk'];
    default:
      return ['--permission-mode', 'plan'];
  }
}

function modelWords(model: string | null): string[] {
  if (model === null) return [];
  const level = modelLevel(model);
  return ['--model', level === null ? model : ALIASES[level]];
}

/** The program's environment, or null when it would have no credential. */
function environmentOf(context: HarnessContext, settings: ClaudeCodeChoice): Record<string, string> | null {
  const { modelAccess: access, sandbox, env } = context;
  const own =
    access === null
      ? withOneCredential(env, settings.auth)
      : {
          ...withPlaceholder(env, access.credential, access.placeholder, RELAY_ORIGIN),
          ...aliasModels(access),
        };
  if (own === null) return null;
  return {
    ...own,
    CLAUDE_CONFIG_DIR: join(env['HOME'] ?? context.workspaceDir, CONFIG),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    // The CLI refuses to bypass permissions as root unless it is told that there is a boundary: that is only said where it is true.
    ...(isUnbounded(sandbox) ? {} : { IS_SANDBOX: '1' }),
  };
}

/** What the CLI's aliases mean at this endpoint, also for the models it chooses by itself. */
function aliasModels({ models }: ModelAccess): Record<string, string> {
  const names = { fast: 'HAIKU', standard: 'SONNET', max: 'OPUS' } as const;
  return Object.fromEntries(
    Object.entries(models).map(([level, model]) => [
      `ANTHROPIC_DEFAULT_${names[level as ModelLevel]}_MODEL`,
      model,
    ]),
  );
}
