import { type CredentialView, listCredentials, revokeCredential } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import type { credentialListCommand, credentialRevokeCommand } from '../tree/server-commands.ts';
import type { Handler } from './handler.ts';
import { pageOf } from '../page.ts';

/** The only project that a credential may see, behind its rights; nothing where it may see every one. */
export function heldTo({ only_project: project }: CredentialView): string {
  return project === null ? '' : `  only project ${project}`;
}

/** `pal credential list`. */
export const list: Handler<typeof credentialListCommand> = async (invocation, _args, flags) => {
  const answer = await invocation.call(listCredentials, {
    ...pageOf(flags),
  });
  const { data, next_cursor: cursor } = answer;
  emit(invocation, {
    json: answer,
    records: data,
    ids: data.map(({ id }) => id),
    text: () =>
      data.map((each) =>
        [
          `${each.principal_name}/${each.name}`,
          `${each.scopes.join(',')}${heldTo(each)}`,
          each.revoked_at === undefined ? 'good' : 'revoked',
          each.id,
        ].join('  '),
      ),
  });
  if (cursor !== undefined) invocation.hint(`pal credential list --cursor ${cursor}`);
  return 0;
};

/** `pal credential revoke CREDENTIAL`. */
export const revoke: Handler<typeof credentialRevokeCommand> = async (invocation, args) => {
  const answer = await invocation.call(revokeCredential, { ...args, ...invocation.rehearsed });
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [answer.id],
    text: () => [`${outcome(invocation, 'revoke')}${answer.principal_name}/${answer.name}  ${answer.id}`],
  });
  return 0;
};
