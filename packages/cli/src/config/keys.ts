/** One setting: its values, its environment variable, and who may set it. */
export interface SettingKey {
  readonly name: string;
  readonly env: string;
  readonly summary: string;
  readonly values: 'boolean' | 'text' | readonly string[];
  readonly fallback: string | undefined;
  /**
   * Whether a repository's committed file may set it. What grants a permission, weakens a boundary or
   * changes a recorded identity must come from the user: a cloned repository is not trusted (AO-026).
   */
  readonly fromRepository: boolean;
  /** The flag that overrides it; a word where there is none. */
  readonly flag: string;
  /** True where an empty variable says that there is none, and so hides what files say. */
  readonly emptyIsNone?: true;
  /** True for what the control plane itself heeds. */
  readonly isForControlPlane?: boolean;
}

export const settingKeys: readonly SettingKey[] = [
  {
    name: 'actor',
    env: 'PALISADE_ACTOR',
    summary: 'recorded identity',
    values: 'text',
    fallback: undefined,
    fromRepository: false,
    flag: '--actor',
  },
  {
    name: 'allow_network',
    env: 'PALISADE_ALLOW_NETWORK',
    summary: 'let items that ask for the network have it',
    values: 'boolean',
    fallback: 'false',
    fromRepository: false,
    flag: 'run --allow-network',
  },
  {
    name: 'ascii',
    env: 'PALISADE_ASCII',
    summary: 'draw with ASCII only',
    values: 'boolean',
    fallback: 'false',
    fromRepository: true,
    flag: '--ascii',
  },
  {
    name: 'color',
    env: 'PALISADE_COLOR',
    summary: 'when to use colour',
    values: ['auto', 'always', 'never'],
    fallback: 'auto',
    fromRepository: true,
    flag: '--color',
  },
  {
    name: 'format',
    env: 'PALISADE_FORMAT',
    summary: 'default output format',
    values: ['text', 'json', 'ndjson', 'tsv', 'md', 'id'],
    fallback: 'text',
    fromRepository: true,
    flag: '--format, --json',
  },
  {
    name: 'policy',
    env: 'PALISADE_POLICY',
    summary: 'file with the rules of what may be done (JSON)',
    values: 'text',
    fallback: undefined,
    fromRepository: false,
    flag: 'no flag',
    isForControlPlane: true,
  },
  {
    name: 'project',
    env: 'PALISADE_PROJECT',
    summary: 'project that calls are about',
    values: 'text',
    fallback: undefined,
    fromRepository: true,
    flag: '--project',
  },
  {
    name: 'server',
    env: 'PALISADE_SERVER',
    summary: 'server to use instead of a control plane in this directory; with an empty variable none is',
    values: 'text',
    fallback: undefined,
    // It decides nothing about a credential: each is kept for one server.
    fromRepository: true,
    flag: 'no flag',
    emptyIsNone: true,
  },
  {
    name: 'session',
    env: 'PALISADE_SESSION',
    summary: 'name that an independent user of a server goes by here; each has its own unanswered change',
    values: 'text',
    fallback: undefined,
    fromRepository: false,
    flag: '--session',
  },
  {
    name: 'state_dir',
    env: 'PALISADE_STATE_DIR',
    summary: 'absolute directory for changes that a server has not answered',
    values: 'text',
    fallback: undefined,
    fromRepository: false,
    flag: '--state-dir',
  },
  {
    name: 'progress',
    env: 'PALISADE_PROGRESS',
    summary: 'how progress is shown',
    values: ['auto', 'live', 'report', 'none'],
    fallback: 'auto',
    fromRepository: true,
    flag: '--progress',
  },
  {
    name: 'require_isolation',
    env: 'PALISADE_REQUIRE_ISOLATION',
    summary: 'refuse to run in a sandbox that is no boundary',
    values: 'boolean',
    fallback: 'false',
    fromRepository: false,
    flag: 'run --require-isolation, rerun --require-isolation',
  },
  {
    name: 'sandbox',
    env: 'PALISADE_SANDBOX',
    summary: 'sandbox provider by name',
    values: 'text',
    fallback: undefined,
    fromRepository: false,
    flag: 'run --sandbox',
  },
  {
    name: 'timestamp_ca',
    env: 'PALISADE_TIMESTAMP_CA',
    summary: 'file with the certificates (PEM) that timestamps must lead to',
    values: 'text',
    fallback: undefined,
    fromRepository: false,
    flag: 'no flag',
    isForControlPlane: true,
  },
  {
    name: 'timestamp_url',
    env: 'PALISADE_TIMESTAMP_URL',
    summary: 'RFC 3161 authority that attests when evidence existed',
    values: 'text',
    fallback: undefined,
    fromRepository: false,
    flag: 'no flag',
    isForControlPlane: true,
  },
  {
    name: 'utc',
    env: 'PALISADE_UTC',
    summary: 'show times in UTC',
    values: 'boolean',
    fallback: 'false',
    fromRepository: true,
    flag: '--utc',
  },
  {
    name: 'witnesses',
    env: 'PALISADE_WITNESSES',
    summary: 'witnesses of the evidence log: "KEY URL", separated by commas',
    values: 'text',
    fallback: undefined,
    fromRepository: false,
    flag: 'no flag',
    isForControlPlane: true,
  },
];
