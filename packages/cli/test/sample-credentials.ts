/** A principal, its credential, and the answer that shows a token. */
export const PRINCIPAL = {
  id: `prn_${'1'.repeat(32)}`,
  name: 'ci',
  kind: 'agent',
  enabled: true,
  revision: 1,
  created_at: Date.UTC(2026, 0, 1),
} as const;

export const CREDENTIAL = {
  id: `crd_${'2'.repeat(32)}`,
  principal: PRINCIPAL.id,
  principal_name: 'ci',
  name: 'first',
  class: 'interactive',
  scopes: ['read', 'write'],
  only_project: null,
  created_at: Date.UTC(2026, 0, 1),
  hidden: false,
} as const;

const ISSUED = { principal: PRINCIPAL, credential: CREDENTIAL, token: 'pal_shown-once' } as const;

/** What a server answers the commands of principals and credentials. */
export const credentialAnswers = {
  'principals.create': ISSUED,
  'principals.list': { data: [PRINCIPAL], has_more: false },
  'credentials.issue': ISSUED,
  'credentials.rotate': {
    ...ISSUED,
    replaced_credential_id: CREDENTIAL.id,
    replaced_credential_revoked: true,
  },
  'credentials.revoke': { ...CREDENTIAL, revoked_at: CREDENTIAL.created_at },
  'credentials.list': { data: [CREDENTIAL], has_more: false },
};

/** A clock that went back by an hour. */
export const CLOCK = {
  status: 'clock_reconciliation',
  rollback_threshold_ms: 5_000,
  incident: {
    id: `clk_${'1'.repeat(32)}`,
    observed_wall_time: 1_790_000_000_000,
    high_water_time: 1_790_003_600_000,
  },
};
