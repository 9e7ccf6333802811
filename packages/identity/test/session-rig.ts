import { randomBytes } from 'node:crypto';
import {
  type Caller,
  createPrincipal,
  issueCredential,
  newId,
  registerHarnessSession,
  type Scope,
} from '@palisade/contracts';
import type { OpenDatabase } from '@palisade/kernel/testing';
import type * as z from 'zod';
import type { IdentityDeps } from '../src/index.ts';
import { identityRig } from './identity-rig.ts';

/** What a client makes and keeps before it registers a session. */
export const newSession = () => ({ session: newId('hses'), proof: randomBytes(32).toString('hex') });

/** Identity with agents that work in sessions. */
export async function sessionRig(
  open: (...args: Parameters<OpenDatabase>) => ReturnType<OpenDatabase>,
  options: Pick<IdentityDeps, 'sessionIdleDays'> = {},
) {
  const rig = await identityRig(open, options);
  const { call, callerWith } = rig;
  type Input = Partial<z.input<(typeof registerHarnessSession)['input']>>;
  return {
    ...rig,
    agent: async (name: string, scopes: Scope[] = ['read', 'write']) => {
      const {
        token = '',
        principal,
        credential,
      } = await call(createPrincipal, { name, kind: 'agent', scopes });
      return { token, caller: await callerWith(token), principal: principal.id, credential: credential.id };
    },
    /** Another credential of an agent. */
    another: async (principal: string): Promise<Caller> =>
      callerWith((await call(issueCredential, { principal, name: 'another' })).token),
    register: (caller: Caller, made: ReturnType<typeof newSession>, input: Input = {}, key?: string) =>
      call(
        registerHarnessSession,
        {
          session_id: made.session,
          workstation_id: 'laptop',
          harness: 'claude-code',
          capabilities: ['bash'],
          ...input,
        },
        caller,
        { presented: { proof: made.proof }, ...(key === undefined ? {} : { idempotencyKey: key }) },
      ),
  };
}
