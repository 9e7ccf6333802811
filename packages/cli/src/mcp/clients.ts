import { homedir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'smol-toml';
import { TOKEN_VARIABLE } from '../server/server-caller.ts';
import { findWorkingTree } from '../project.ts';
import { UsageError } from '../tree/usage-error.ts';
import { baseDirectory } from '../user-path.ts';

/** Clients whose configuration is known. */
export const CLIENTS = ['claude-code', 'codex', 'cursor'] as const;
export type ClientName = (typeof CLIENTS)[number];

/** A configuration has its name and never its value. */
export { TOKEN_VARIABLE };

/** What the server is called in configurations of clients. */
const ENTRY = 'palisade';

interface Surroundings {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How a client is told of a server. */
interface ClientConfig {
  /** The file that it reads. */
  readonly file: (surroundings: Surroundings) => string;
  /** The file's text with the server at `url` in it, and everything else as it was. `shown` names the file in errors. */
  readonly withServer: (text: string, url: string, shown: string) => string;
}

const inProject = ({ directory }: Surroundings, ...names: readonly string[]): string =>
  join(findWorkingTree(directory) ?? directory, ...names);

export const CLIENT_CONFIGS: Readonly<Record<ClientName, ClientConfig>> = {
  'claude-code': {
    file: (surroundings) => inProject(surroundings, '.mcp.json'),
    withServer: (text, url, shown) =>
      withJsonServer(text, shown, {
        type: 'http',
        url,
        headers: { Authorization: `Bearer \${${TOKEN_VARIABLE}}` },
      }),
  },
  codex: {
    file: ({ env }) => join(codexHome(env), 'config.toml'),
    withServer: withCodexServer,
  },
  cursor: {
    file: (surroundings) => inProject(surroundings, '.cursor', 'mcp.json'),
    withServer: (text, url, shown) =>
      withJsonServer(text, shown, { url, headers: { Authorization: `Bearer \${env:${TOKEN_VARIABLE}}` } }),
  },
};

function codexHome(env: Surroundings['env']): string {
  const given = baseDirectory(env['CODEX_HOME']);
  if (given !== undefined) return given;
  const home = baseDirectory(env['HOME'] ?? homedir());
  if (home === undefined) throw new UsageError('there is no home directory with a configuration of codex');
  return join(home, '.codex');
}

/** `{"mcpServers": {NAME: …}}`, as several clients have it. */
function withJsonServer(text: string, shown: string, entry: object): string {
  let document: unknown;
  try {
    document = text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    throw new UsageError(`${shown} is not JSON`, { next: 'correct it, or move it away' });
  }
  const servers: unknown = isObject(document) ? (document['mcpServers'] ?? {}) : undefined;
  if (!isObject(document) || !isObject(servers))
    throw new UsageError(`${shown} is no configuration with mcpServers`);
  const changed = { ...document, mcpServers: { ...servers, [ENTRY]: entry } };
  return `${JSON.stringify(changed, null, 2)}\n`;
}

/** A table at the end of the file: every line that is there, comments included, stays as it is. */
function withCodexServer(text: string, url: string, shown: string): string {
  const entry = { url, bearer_token_env_var: TOKEN_VARIABLE };
  const before = tables(text);
  if (before === undefined) throw new UsageError(`${shown} is not valid TOML`);
  if (JSON.stringify(before[ENTRY]) === JSON.stringify(entry)) return text;
  if (before[ENTRY] !== undefined)
    throw new UsageError(`${shown} has another [mcp_servers.${ENTRY}]`, {
      next: `codex mcp remove ${ENTRY}, then this again`,
    });
  const changed = `${text === '' || text.endsWith('\n') ? text : `${text}\n`}${text === '' ? '' : '\n'}${stringify({ mcp_servers: { [ENTRY]: entry } }).trim()}\n`;
  // Where the tables are written in one line, none can follow: nothing is guessed then.
  if (JSON.stringify(tables(changed)?.[ENTRY]) !== JSON.stringify(entry))
    throw new UsageError(`${shown} has its mcp_servers in one line`, {
      next: `codex mcp add ${ENTRY} --url ${url} --bearer-token-env-var ${TOKEN_VARIABLE}`,
    });
  return changed;
}

/** The servers of a TOML configuration; undefined when it is none. */
function tables(text: string): Record<string, unknown> | undefined {
  try {
    const { mcp_servers: servers = {} } = parse(text);
    return isObject(servers) ? servers : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
