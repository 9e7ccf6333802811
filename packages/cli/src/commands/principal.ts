import {
  createPrincipal,
  issueCredential,
  type IssuedCredential,
  listPrincipals,
  rotateCredential,
  Scope,
} from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { moment } from '../output/time.ts';
import type {
  credentialIssueCommand,
  credentialRotateCommand,
  principalCreateCommand,
  principalListCommand,
} from '../tree/server-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import { heldTo } from './credential.ts';
import type { Handler } from './handler.ts';
import { pageOf } from '../page.ts';

/** `pal principal create NAME`. */
export const create: Handler<typeof principalCreateCommand> = async (invocation, args, flags) => {
  const answer = await invocation.call(createPrincipal, {
    name: args.name,
    kind: flags.kind ?? 'agent',
    ...askedOf(flags),
    ...invocation.rehearsed,
  });
  return show(invocation, 'create', answer);
};

/** `pal credential issue PRINCIPAL NAME`. */
export const issue: Handler<typeof credentialIssueCommand> = async (invocation, args, flags) =>
  show(
    invocation,
    'issue',
    await invocation.call(issueCredential, { ...args, ...askedOf(flags), ...invocation.rehearsed }),
  );

/** `pal credential rotate CREDENTIAL NAME`. */
export const rotate: Handler<typeof credentialRotateCommand> = async (invocation, args, flags) =>
  show(
    invocation,
    'rotate',
    await invocation.call(rotateCredential, {
      ...args,
      ...(flags.keepOld ? { revoke_old: false } : {}),
      ...invocation.rehearsed,
    }),
  );

/** `pal principal list`. */
export const list: Handler<typeof principalListCommand> = async (invocation, _args, flags) => {
  const answer = await invocation.call(listPrincipals, {
    ...pageOf(flags),
  });
  const { data, next_cursor: cursor } = answer;
  emit(invocation, {
    json: answer,
    records: data,
    ids: data.map(({ id }) => id),
    text: () =>
      data.map(({ id, name, kind, enabled }) =>
        [name, kind, enabled ? 'enabled' : 'disabled', id].join('  '),
      ),
  });
  if (cursor !== undefined) invocation.hint(`pal principal list --cursor ${cursor}`);
  return 0;
};

/** The token on a line of its own, once: nothing else ever shows it. */
function show(invocation: Invocation, verb: string, answer: IssuedCredential): number {
  const { principal, credential, token } = answer;
  const until =
    credential.expires_at === undefined
      ? ''
      : `  until ${moment(credential.expires_at, invocation.settings.times)}`;
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [credential.id],
    text: () => [
      `${outcome(invocation, verb)}${principal.kind} ${principal.name}  ${principal.id}`,
      `credential  ${credential.id}  ${credential.scopes.join(', ')}${heldTo(credential)}${until}`,
      token === undefined ? 'token       shown once, and not any more' : `token       ${token}`,
    ],
  });
  if (token === undefined && answer.next !== undefined) invocation.hint(answer.next);
  // Where the token will be used; standard input, or a hidden prompt, takes it.
  if (token !== undefined) invocation.hint(`pal login ${invocation.config.get('server') ?? 'SERVER'}`);
  return 0;
}

function askedOf(flags: {
  readonly scope: readonly string[];
  readonly onlyProject: string | undefined;
  readonly expiresIn: number | undefined;
}): { scopes?: Scope[]; only_project?: string; expires_in_ms?: number } {
  return {
    ...(flags.scope.length === 0 ? {} : { scopes: flags.scope.map(scopeOf) }),
    ...(flags.onlyProject === undefined ? {} : { only_project: flags.onlyProject }),
    ...(flags.expiresIn === undefined ? {} : { expires_in_ms: flags.expiresIn }),
  };
}

function scopeOf(word: string): Scope {
  const scope = Scope.options.find((each) => each === word);
  if (scope === undefined)
    throw new UsageError(`there is no scope "${word}"`, { why: `scopes are ${Scope.options.join(', ')}` });
  return scope;
}
