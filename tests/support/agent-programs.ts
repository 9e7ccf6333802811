import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/*
 * The real agent programs the tests drive. They are big, so they are a package of their own (tests/agents,
 * with its lock file) that is installed into a cache of this user's, once for all checkouts with the same
 * lock file. Their install scripts do not run: the programs are in packages for one platform each.
 */

const PACKAGE = resolve(import.meta.dirname, '../agents');
const FILES = ['package.json', 'package-lock.json'];
const INSTALL_MS = 420_000;
const platform = `${process.platform}-${process.arch}`;

/** Each program, below `node_modules`. */
const PROGRAMS = {
  claude: `@anthropic-ai/claude-code-${platform}/claude`,
  codex: '@openai/codex/bin/codex.js',
  'codex-acp': `@zed-industries/codex-acp-${platform}/bin/codex-acp`,
  'mcp-inspector': '@modelcontextprotocol/inspector/cli/build/cli.js',
} as const;
export type AgentProgramName = keyof typeof PROGRAMS;

/** Said by every suite that is skipped without the programs, or without bubblewrap. */
export const NEEDS_PROGRAMS = `needs bubblewrap and the agent programs: ${process.env['PALISADE_TEST_AGENTS_MISSING'] ?? 'node scripts/agent-programs.ts installs them'}`;

/** Where the programs of this checkout's lock file are, whether they are there or not. */
export function agentProgramsHome(env: NodeJS.ProcessEnv = process.env): string {
  const given = env['XDG_CACHE_HOME'] ?? '';
  const cache = isAbsolute(given) ? given : join(homedir(), '.cache');
  const hash = createHash('sha256');
  for (const file of FILES) hash.update(readFileSync(join(PACKAGE, file)));
  return join(cache, 'palisade-test-agents', `${platform}-${hash.digest('hex').slice(0, 16)}`);
}

/** Absolute path of an installed agent program, or null: then what needs it is skipped. */
export function agentProgram(name: AgentProgramName): string | null {
  const path = join(agentProgramsHome(), 'node_modules', PROGRAMS[name]);
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    return null;
  }
}

/** Settings of the harness `acp` for codex-acp, Zed's agent around the core of Codex: its operator's words. */
export function acpSettings(program: string): {
  harness: 'acp';
  program: string;
  args: string[];
  model_env: Record<string, string>;
} {
  const words = {
    model_provider: 'relay',
    'model_providers.relay.name': 'relay',
    'model_providers.relay.base_url': '{{model_url}}/v1',
    'model_providers.relay.env_key': 'MODEL_KEY',
    'model_providers.relay.wire_api': 'responses',
    model: '{{model}}',
    approval_policy: 'never',
    sandbox_mode: 'danger-full-access',
  };
  const args = Object.entries(words).flatMap(([name, value]) => ['-c', `${name}=${JSON.stringify(value)}`]);
  return { harness: 'acp', program, args, model_env: { MODEL_KEY: '{{model_key}}' } };
}

/** Entries for PATH under which the programs are found by their names. */
export function agentProgramsPath(): string[] {
  const modules = join(agentProgramsHome(), 'node_modules');
  return [join(modules, dirname(PROGRAMS.claude)), join(modules, '.bin')];
}

/**
 * Installs the programs unless they are there. Null when they are, else why they are not: no registry, no
 * place, no package for this platform. Another process may do the same at the same time.
 */
export async function installAgentPrograms(): Promise<string | null> {
  const home = agentProgramsHome();
  if (existsSync(home)) return null;
  const parent = resolve(home, '..');
  try {
    mkdirSync(parent, { recursive: true });
    const place = await mkdtemp(join(parent, 'installing-'));
    try {
      for (const file of FILES) copyFileSync(join(PACKAGE, file), join(place, file));
      await npmInstall(place);
      await rename(place, home);
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  } catch (error) {
    if (existsSync(home)) return null;
    return error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : String(error);
  }
  return null;
}

function npmInstall(directory: string): Promise<void> {
  const args = [
    'ci',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=1000',
  ];
  return new Promise((done, fail) => {
    execFile('npm', args, { cwd: directory, timeout: INSTALL_MS }, (error, _out, said) => {
      if (error === null) done();
      else fail(new Error(`npm ci could not install them: ${firstError(said) ?? error.code ?? 'no reason'}`));
    });
  });
}

function firstError(said: string): string | undefined {
  return said
    .split('\n')
    .map((line) => line.replace(/^npm (?:error|ERR!)\s*/, '').trim())
    .find((line) => /\s/.test(line));
}
