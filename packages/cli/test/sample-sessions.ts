import { CREDENTIAL, PRINCIPAL } from './sample-credentials.ts';

const SESSION = {
  session_id: `hses_${'3'.repeat(32)}`,
  workstation_id: 'laptop',
  harness: 'claude-code',
  capabilities: ['bash'],
  principal: PRINCIPAL.id,
  credential: CREDENTIAL.id,
  launch: `hses_${'3'.repeat(32)}`,
  created_at: Date.UTC(2026, 0, 1),
  last_activity_at: Date.UTC(2026, 0, 2),
} as const;
const SUBAGENT_SESSION = {
  ...SESSION,
  session_id: `hses_${'4'.repeat(32)}`,
  subagent: {
    identity: `hsub_${'5'.repeat(32)}`,
    project: 'default',
    name: 'reviewer',
    parent_session: SESSION.session_id,
  },
} as const;

/** What the commands of sessions are tried with. */
export const sessionCases = {
  'session register': {
    args: [
      'session',
      'register',
      SESSION.session_id,
      '--file',
      'proof',
      '--harness',
      'claude-code',
      '--workstation',
      'laptop',
    ],
    flags: {
      file: ['other-proof'],
      harness: ['codex'],
      workstation: ['tower'],
      capability: ['bash'],
      subagent: ['reviewer', '--parent', SUBAGENT_SESSION.session_id],
      parent: [SUBAGENT_SESSION.session_id, '--subagent', 'reviewer'],
    },
  },
  'session list': { args: ['session', 'list'], flags: { 'active-within-hours': ['0'] } },
  'session show': { args: ['session', 'show', SUBAGENT_SESSION.session_id] },
  'session close': { args: ['session', 'close', SESSION.session_id], flags: { file: ['proof'] } },
};

/** What a server answers them: a session of an agent, and one of its subagent. */
export const sessionAnswers = {
  'harness_sessions.register': SESSION,
  'harness_sessions.get': SUBAGENT_SESSION,
  'harness_sessions.close': { ...SESSION, closed_at: Date.UTC(2026, 0, 3) },
  'harness_sessions.list': {
    active_within_hours: 24,
    generated_at: Date.UTC(2026, 0, 3),
    truncated: false,
    data: [SESSION, SUBAGENT_SESSION].map((each) => ({
      ...each,
      principal_name: PRINCIPAL.name,
      principal_kind: PRINCIPAL.kind,
    })),
  },
};
