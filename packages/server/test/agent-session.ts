import { randomBytes } from 'node:crypto';
import {
  callerOf,
  createPrincipal,
  newId,
  type Scope,
  SESSION_HEADER,
  SESSION_PROOF_HEADER,
} from '@palisade/contracts';
import type { Answer, HttpRig } from './http-rig.ts';

/** What a client makes and keeps of a session, and how it presents it. */
export interface KeptSession {
  readonly id: string;
  readonly proof: string;
  readonly headers: Record<string, string>;
}

export function newSession(): KeptSession {
  const [id, proof] = [newId('hses'), randomBytes(32).toString('hex')];
  return { id, proof, headers: { [SESSION_HEADER]: id, [SESSION_PROOF_HEADER]: proof } };
}

/** The token of a new agent with a credential that was really issued. */
export async function issuedToken(
  rig: HttpRig,
  name: string,
  more: { readonly scopes?: Scope[]; readonly class?: 'integrator' } = {},
): Promise<string> {
  const host = callerOf(rig.composition.operations);
  return (await host.call(createPrincipal, { name, kind: 'agent', ...more })).token ?? '';
}

export const describedAs = ({ id }: KeptSession) => ({
  session_id: id,
  workstation_id: 'laptop',
  harness: 'claude-code',
  capabilities: [],
});

/** Registers a session over HTTP. */
export function register(
  rig: HttpRig,
  token: string,
  session: KeptSession,
  more: object = {},
): Promise<Answer> {
  return rig.send('POST', '/v1/harness-sessions', {
    token,
    key: session.id,
    headers: { [SESSION_PROOF_HEADER]: session.proof },
    body: { ...describedAs(session), ...more },
  });
}

/** Closes a session over HTTP. */
export function close(rig: HttpRig, token: string, session: KeptSession): Promise<Answer> {
  const { id, headers } = session;
  return rig.send('POST', `/v1/harness-sessions/${id}/close`, {
    token,
    key: `close ${id}`.replace(' ', '-'),
    headers,
    body: {},
  });
}
