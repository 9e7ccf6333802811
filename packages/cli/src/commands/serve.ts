import type { serveCommand } from '../tree/server-commands.ts';
import { findProject } from '../project.ts';
import type { Handler } from './handler.ts';

const LISTEN = '127.0.0.1:7420';

/** `pal serve`: until a signal, one line of JSON per request on standard error. */
export const execute: Handler<typeof serveCommand> = async (invocation, _args, flags) => {
  const { serve } = await import('@palisade/server/serve');
  const { directory, interrupted, env, settings } = invocation;
  const serving = await serve({
    directory: findProject(directory) ?? directory,
    listen: flags.listen ?? LISTEN,
    isBehindTls: flags.behindTls,
    publicOrigin: flags.publicOrigin,
    env: { ...env, ...invocation.config.forControlPlane() },
    onLine: (line) => invocation.err.line(JSON.stringify(line)),
  });
  invocation.out.line(
    settings.format === 'text' ? `listening  ${serving.url}` : JSON.stringify({ url: serving.url }),
  );
  // People first: only until there is one, who holds the files makes an administrator.
  invocation.hint(
    ...(serving.hasPeople ? [] : ['pal init-admin --username NAME']),
    'pal principal create NAME',
    `pal login ${serving.url}`,
  );
  await new Promise<void>((resolve) => {
    if (interrupted.aborted) resolve();
    else interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
  await serving.close();
  return 0;
};
