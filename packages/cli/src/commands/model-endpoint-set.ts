import { registerModelEndpoint } from '@palisade/contracts';
import type { Input } from '../invocation.ts';
import type { modelEndpointSetCommand } from '../tree/registry-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';
import { printRegistered } from './registry-rows.ts';

/** `pal model-endpoint set NAME`: an address and the reference of a stored secret, never the secret. */
export const execute: Handler<typeof modelEndpointSetCommand> = async (invocation, args, flags) => {
  const needed = { kind: flags.kind, url: flags.url, secret: flags.secret };
  const missing = Object.entries(needed).flatMap(([name, value]) =>
    value === undefined ? [`--${name}`] : [],
  );
  if (missing.length > 0)
    throw new UsageError(`a model endpoint needs ${missing.join(', ')}`, {
      next: 'pal help model-endpoint set',
    });
  if (!/^[a-z][a-z0-9+.-]*:/.test(flags.secret ?? ''))
    throw new UsageError('--secret takes a reference, not a value', {
      why: 'a value on the command line can be seen by other users',
      next: 'pal secret put model-key, then --secret secret:model-key',
    });
  const models = flags.model.map((word): [string, string] => {
    const at = word.indexOf('=');
    if (at <= 0) throw new UsageError('--model takes LEVEL=MODEL, e.g. fast=some-small-model');
    return [word.slice(0, at), word.slice(at + 1)];
  });
  // The operation checks the words; a wrong one is named with its place.
  const input = {
    name: args.name,
    ...invocation.rehearsed,
    ...needed,
    ...(flags.credential === undefined ? {} : { credential: flags.credential }),
    ...(flags.private ? { private: true } : {}),
    ...(flags.defaultModel === undefined ? {} : { default_model: flags.defaultModel }),
    ...(models.length === 0 ? {} : { models: Object.fromEntries(models) }),
  } as Input<typeof registerModelEndpoint>;
  return printRegistered(invocation, await invocation.call(registerModelEndpoint, input), 'model-endpoint');
};
