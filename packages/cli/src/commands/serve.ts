import type { serveCommand } from '../tree/server-commands.ts';
import { emit } from '../output/format.ts';
import { controlPlaneHome, sayCreated } from '../set-up.ts';
import type { Handler } from './handler.ts';

const LISTEN = '127.0.0.1:7420';

/** `pal serve`: until a signal, one line of JSON per request on standard error. */
export const execute: Handler<typeof serveCommand> = async (invocation, _args, flags) => {
  const { serve } = await import('@palisade/server/serve');
  const { interrupted, env } = invocation;
  const home = controlPlaneHome(invocation);
  const serving = await serve({
    directory: home.directory,
    listen: flags.listen ?? LISTEN,
    isBehindTls: flags.behindTls,
    publicOrigin: flags.publicOrigin,
    env: { ...env, ...invocation.config.forControlPlane() },
    onLine: (line) => invocation.err.line(JSON.stringify(line)),
  });
  if (home.created) sayCreated(invocation, home);
  emit(invocation, {
    json: { url: serving.url },
    records: [{ url: serving.url }],
    ids: [serving.url],
    isPart: true,
    text: () => [`listening  ${serving.url}`],
  });
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
