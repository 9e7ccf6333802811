import * as z from 'zod';
import { CredentialId, HarnessSessionId, PrincipalId, PrincipalKind, SubagentId } from './credential.ts';
import { operation } from './operation.ts';
import { Millis, Name } from './schema.ts';

/** Somebody whom an agent has work for it, under a name that means the same one from then on (AC-060). */
const Subagent = z.strictObject({
  project: Name,
  name: Name,
  /** The session that has it work; of a name that is known, the one it was first given by. */
  parent_session: HarnessSessionId,
});

/** What a session is, as its client says when it registers it. */
const described = {
  session_id: HarnessSessionId,
  /** The machine it works on, as its client calls it. */
  workstation_id: Name,
  /** The program that works, such as `claude-code`. */
  harness: Name,
  /** What that program can do, as it says. */
  capabilities: z.array(Name).max(64),
};

/** A harness session as it is shown: never its proof, nor what the proof is checked with (AC-057). */
export const HarnessSessionView = z.strictObject({
  ...described,
  principal: PrincipalId,
  /** The credential that registered it: with no other it is of use. */
  credential: CredentialId,
  /** Of one that works for another one; `identity` is the same in each session of this name. */
  subagent: Subagent.extend({ identity: SubagentId }).optional(),
  /** The session at the root of those that began one another: its own id when nothing began it; null when there are more than 64 between. */
  launch: HarnessSessionId.nullable(),
  created_at: Millis,
  /** About when something was last changed in it, to the minute. */
  last_activity_at: Millis,
  closed_at: Millis.optional(),
});
export type HarnessSessionView = z.infer<typeof HarnessSessionView>;

const one = z.strictObject({ session: HarnessSessionId });
const rehearsed = { dry_run: z.boolean().optional() };

export const registerHarnessSession = operation({
  id: 'harness_sessions.register',
  method: 'POST',
  path: '/v1/harness-sessions',
  summary:
    'Register the session an agent works in, whose id and proof it made itself and kept; the proof stands in the header Palisade-Session-Proof',
  effect: 'mutation',
  access: 'read',
  session: 'presented',
  input: z.strictObject({ ...described, subagent: Subagent.optional(), ...rehearsed }),
  output: HarnessSessionView,
  bodyBytes: 64 * 1024,
  errors: ['already_exists', 'session_closed', 'invalid_state', 'project_archived'],
});

export const getHarnessSession = operation({
  id: 'harness_sessions.get',
  method: 'GET',
  path: '/v1/harness-sessions/{session}',
  summary: 'A harness session, whether it is open or closed',
  effect: 'read',
  access: 'read',
  session: 'presented',
  input: one,
  output: HarnessSessionView,
  errors: ['not_found'],
});

export const closeHarnessSession = operation({
  id: 'harness_sessions.close',
  method: 'POST',
  path: '/v1/harness-sessions/{session}/close',
  summary: 'Close a harness session for ever; what was begun in it goes on',
  effect: 'mutation',
  access: 'read',
  session: 'presented',
  isDestructive: true,
  input: one.extend(rehearsed),
  output: HarnessSessionView,
  bodyBytes: 4 * 1024,
  errors: ['not_found'],
});

export const listHarnessSessions = operation({
  id: 'harness_sessions.list',
  method: 'GET',
  path: '/v1/harness-sessions',
  summary: 'Harness sessions that are open and whose credential is good, the last active first',
  effect: 'read',
  access: 'read',
  input: z.strictObject({
    /** 24 unless said otherwise; 0: every open one. */
    active_within_hours: z.int().min(0).max(8_760).optional(),
  }),
  output: z.strictObject({
    active_within_hours: z.int(),
    generated_at: Millis,
    /** True when there are more than the 500 that are told. */
    truncated: z.boolean(),
    data: z.array(HarnessSessionView.extend({ principal_name: Name, principal_kind: PrincipalKind })),
  }),
  errors: [],
});
