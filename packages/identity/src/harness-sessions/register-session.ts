import {
  type Caller,
  type CallContext,
  hasAccess,
  type HarnessSessionView,
  newId,
  noProject,
  PalisadeError,
  registerHarnessSession,
  SESSION_HEADER,
  SESSION_PROOF_HEADER,
  SessionProof,
} from '@palisade/contracts';
import type { Database, ReadTx, WriteTx } from '@palisade/kernel';
import type * as z from 'zod';
import { change } from '../callers/change.ts';
import {
  type HarnessSession,
  harnessSessionView,
  isProofOf,
  maySee,
  placeUnder,
  proofHash,
} from './harness-session.ts';
import { findHarnessSession, insertHarnessSession } from './harness-session-store.ts';
import { assertActive } from '../projects/project.ts';
import { existingProject } from '../projects/project-store.ts';
import { findSubagent, insertSubagent, type Subagent } from './subagent.ts';

type Input = z.output<(typeof registerHarnessSession)['input']>;

/**
 * Registers a session whose id and proof its client made and kept before it asked: whatever becomes of the answer, it asks again and
 * has the same session (AC-057). Anything else under its id is refused.
 */
export async function register(
  database: Database,
  { dry_run: dryRun, ...input }: Input,
  context: CallContext,
): Promise<HarnessSessionView> {
  const proof = proofFor(input, context);
  const { caller } = context;
  // Before a receipt is looked for: a repeated call is refused too (AO-170).
  if (input.subagent !== undefined) assertMayHaveSubagents(caller, input.subagent);
  const { principal, credential } = assertHoldsSessions(caller);
  const made = {
    operation: registerHarnessSession,
    action: 'harness_session.registered',
    target: input.session_id,
    // The same call is one with the same proof; what is kept of it is a hash of its hash.
    request: { ...input, proof: proofHash(proof) },
    dryRun,
  } as const;
  // Nor is a call repeated for what was closed since: its first answer says that it is open.
  const before = await database.read((tx) => findHarnessSession(tx, input.session_id));
  if (before !== undefined) assertOpen(before, caller);
  const { answer } = await change(database, context, made, async (tx) => {
    const found = await findHarnessSession(tx, input.session_id);
    if (found !== undefined) return { answer: again(found, input, caller, proof), target: null };
    const { subagent, parent } = await subagentOf(tx, input, principal);
    const session: HarnessSession = {
      id: input.session_id,
      principal,
      credential,
      proofHash: proofHash(proof),
      workstation: input.workstation_id,
      harness: input.harness,
      capabilities: input.capabilities,
      subagent,
      ...placeUnder(input.session_id, parent),
      createdAt: tx.now,
      lastActivityAt: tx.now,
      closedAt: null,
    };
    await insertHarnessSession(tx, session);
    return { answer: harnessSessionView(session), target: session.id };
  });
  return answer;
}

/** The proof that was presented, for the session that was named. Raises `invalid_input`. */
function proofFor({ session_id: id }: Input, { presented }: CallContext): string {
  if (presented === undefined || !SessionProof.safeParse(presented.proof).success)
    throw new PalisadeError('invalid_input', `a registration needs a ${SESSION_PROOF_HEADER}`, {
      next: 'make 32 random bytes, keep them, and send them as 64 lower-case hex digits',
    });
  if (presented.session !== undefined && presented.session !== id)
    throw new PalisadeError('invalid_input', `${SESSION_HEADER} names another session than session_id`);
  return presented.proof;
}

/** A session belongs to a token: people have browser sessions, and whoever holds the control plane's own files needs none. */
function assertHoldsSessions({ principal, credential }: Caller): { principal: string; credential: string } {
  if (principal !== null && credential?.startsWith('crd_') === true) return { principal, credential };
  throw new PalisadeError(
    'invalid_state',
    'a harness session belongs to a credential of an agent or a service',
    {
      next: 'present the token of one',
    },
  );
}

/** AC-054: who may only read has no subagents. A project that the caller may not see is as absent. */
function assertMayHaveSubagents(caller: Caller, { project }: NonNullable<Input['subagent']>): void {
  if (!hasAccess(caller, 'write'))
    throw new PalisadeError('operation_not_permitted', 'a session of a subagent needs the scope write', {
      why: `the credential of ${caller.actor} has ${[...caller.scopes].join(', ')}`,
      next: 'register a session without a subagent',
    });
  if (caller.project !== null && caller.project !== project) throw noProject(project);
}

/** AC-059: a closed id stays closed. */
function assertOpen({ id, principal, closedAt }: HarnessSession, caller: Caller): void {
  if (closedAt === null || !maySee(caller, principal)) return;
  throw new PalisadeError('session_closed', `the session ${id} is closed, and stays so`, {
    next: 'make a new id and a new proof',
  });
}

/** The session of an id that is known, to whoever registers it again just as it was. */
function again(found: HarnessSession, input: Input, caller: Caller, proof: string): HarnessSessionView {
  assertOpen(found, caller);
  const view = harnessSessionView(found);
  const isSame =
    found.closedAt === null &&
    found.credential === caller.credential &&
    isProofOf(found, proof) &&
    view.workstation_id === input.workstation_id &&
    view.harness === input.harness &&
    view.capabilities.join(' ') === input.capabilities.join(' ') &&
    view.subagent?.project === input.subagent?.project &&
    view.subagent?.name === input.subagent?.name &&
    view.subagent?.parent_session === input.subagent?.parent_session;
  if (isSame) return view;
  throw new PalisadeError('already_exists', `the id ${found.id} is taken by a session that is another one`, {
    next: 'send what it was registered with, or make a new id and a new proof',
  });
}

/** Whose session it is to be. A name that is new needs a parent that is open; one that is known keeps its own (AC-060). */
async function subagentOf(
  tx: WriteTx,
  { subagent: asked }: Input,
  principal: string,
): Promise<{ readonly subagent: Subagent | null; readonly parent?: HarnessSession }> {
  if (asked === undefined) return { subagent: null };
  const { project, name } = asked;
  assertActive(await existingProject(tx, project));
  const parent = await ofSamePrincipal(tx, asked.parent_session, principal);
  const known = await findSubagent(tx, { project, principal, name });
  if (known !== undefined) {
    if (known.parent === parent.id) return { subagent: known, parent };
    throw new PalisadeError(
      'already_exists',
      `the subagent ${name} was first given work by another session`,
      {
        next: `name ${known.parent} as its parent, or choose another name`,
      },
    );
  }
  if (parent.closedAt !== null)
    throw new PalisadeError('session_closed', `the session ${parent.id} is closed: nobody new works for it`, {
      next: 'name the session that is open',
    });
  const subagent = { id: newId('hsub', tx.now), project, principal, name, parent: parent.id };
  await insertSubagent(tx, subagent);
  return { subagent, parent };
}

async function ofSamePrincipal(tx: ReadTx, id: string, principal: string): Promise<HarnessSession> {
  const found = await findHarnessSession(tx, id);
  if (found?.principal === principal) return found;
  throw new PalisadeError('not_found', `there is no harness session ${id} of yours`, {
    next: 'name the session that begins this one',
  });
}
