import { existsSync, lstatSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readRegularFile } from '../bounded-read.ts';
import type { Invocation } from '../invocation.ts';
import { CLIENT_CONFIGS, CLIENTS, type ClientName, TOKEN_VARIABLE } from '../mcp/clients.ts';
import { foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import type { mcpInstallCommand } from '../tree/server-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

const FILE_BYTES = 1024 * 1024;

/** `pal mcp install CLIENT`: writes where the server is, and which variable holds the token, into the client's own configuration. */
export const execute: Handler<typeof mcpInstallCommand> = async (invocation, args, flags) => {
  const client = CLIENTS.find((name) => name === args.client);
  if (client === undefined)
    throw new UsageError(`"${args.client}" is no client that is known`, {
      why: `it is ${CLIENTS.join(', ')}`,
    });
  const url = `${await serverOf(invocation, flags.server)}/mcp`;
  const { file, before, after } = plannedFile(invocation, client, url);
  const isChanged = before !== after;
  if (isChanged && !invocation.isDryRun) replace(file, after);
  const answer = { client, file, url, token_variable: TOKEN_VARIABLE, changed: isChanged, content: after };
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [file],
    text: () => [
      `${outcome(invocation, isChanged ? 'write' : 'leave as it is')}${foreignName(file)}  ${url}${isChanged || invocation.isDryRun ? '' : '  unchanged'}`,
      ...(invocation.isDryRun ? after.trimEnd().split('\n') : []),
    ],
  });
  const project = invocation.config.get('project');
  const held = project === undefined ? '' : ` --only-project ${project}`;
  invocation.hint(
    `export ${TOKEN_VARIABLE}=TOKEN, where the client is started`,
    `without a token: an administrator makes one with pal principal create NAME${held}`,
  );
  return 0;
};

/**
 * The origin to write down. One that only the repository names is not taken: the client will send the variable's value there, whichever
 * server that was meant for (AO-029).
 */
async function serverOf({ config, env }: Invocation, given: string | undefined): Promise<string> {
  const { originOf } = await import('@palisade/client');
  const { onlyKnownServer, setServer } = await import('../server/set-server.ts');
  const origin = given === undefined ? setServer(config) : originOf(given);
  if (origin === undefined)
    throw new UsageError('no server is set', {
      why: 'tools are offered by a server: pal serve',
      next: `pal mcp install CLIENT --server ${onlyKnownServer(env) ?? 'ORIGIN'}`,
    });
  if (given === undefined && config.winner('server').source === 'repository')
    throw new UsageError(`only this repository names ${origin}`, {
      why: 'the client would send your token there',
      next: `if you trust it: pal mcp install CLIENT --server ${origin}`,
    });
  return origin;
}

function plannedFile({ directory, env }: Invocation, client: ClientName, url: string) {
  const { file: fileOf, withServer } = CLIENT_CONFIGS[client];
  const file = fileOf({ directory, env });
  const folder = lstatSync(dirname(file), { throwIfNoEntry: false });
  if (client !== 'codex' && folder !== undefined && !folder.isDirectory())
    throw new UsageError(`${foreignName(dirname(file))} is no directory of this repository`);
  const shown = foreignName(file);
  const tooLarge = (): Error => new UsageError(`${shown} is larger than ${FILE_BYTES} bytes`);
  // What a repository brings may point anywhere; the user's own file may well be a link.
  const links = client === 'codex' ? 'follow' : 'refuse';
  const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  const before = isThere
    ? readRegularFile(file, { shown, maxBytes: FILE_BYTES, tooLarge }, links).toString('utf8')
    : '';
  return { file, before, after: withServer(before, url, shown) };
}

function replace(file: string, text: string): void {
  if (!existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, text, { flag: 'wx', mode: 0o644 });
  renameSync(draft, file);
}
