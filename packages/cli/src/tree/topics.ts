/** Names `pal help` knows besides commands. */
export const topicNames = ['exit-codes', 'env', 'json', 'agents'] as const;

/** The text of a help topic, or undefined when there is none of that name. */
export async function topic(name: string): Promise<string | undefined> {
  switch (name) {
    case 'exit-codes':
      return exitCodes();
    case 'env':
      return environment();
    case 'json':
      return json;
    case 'agents':
      return agents;
    default:
      return undefined;
  }
}

async function exitCodes(): Promise<string> {
  const { errorCatalogue } = await import('@palisade/contracts');
  const codes = (exit: number): string =>
    Object.entries(errorCatalogue)
      .filter(([, facts]) => facts.exit === exit)
      .map(([code]) => code)
      .join(' ');
  const meanings: readonly (readonly [number, string])[] = [
    [0, 'done; for watch, verify and doctor: a good outcome'],
    [1, 'the work failed: run failed, not intact, doctor failure'],
    [2, 'wrong input or usage'],
    [3, 'not set up'],
    [4, 'denied'],
    [5, 'conflict: stale, owned, or changed since shown'],
    [6, 'requirements unmet'],
    [7, 'temporary: busy or held; trying again can help'],
    [8, 'still going (--timeout)'],
    [130, 'interrupted; a run that was being watched goes on'],
  ];
  return `${meanings
    .map(([exit, meaning]) => {
      const list = codes(exit);
      return `${String(exit).padStart(3)}  ${meaning}${list === '' ? '' : `\n       ${list}`}`;
    })
    .join('\n')}\n`;
}

async function environment(): Promise<string> {
  const { settingKeys } = await import('../config/keys.ts');
  const rows: readonly (readonly [string, string])[] = [
    ...settingKeys.map((key) => [key.env, `${key.summary} (pal config explain ${key.name})`] as const),
    ['PALISADE_DEBUG', 'print stacks of errors'],
    ['PALISADE_DATABASE_URL', 'a PostgreSQL database instead of the file in .palisade'],
    ['PALISADE_MASTER_KEY_FILE', 'file with the key of the secret store (default: .palisade/master.key)'],
    ['PALISADE_SANDBOX_MODULES', 'sandbox providers of your own: absolute paths, separated by ":"'],
    ['PALISADE_EXECUTOR_MODULES', 'executors of your own, in the same way'],
    ['PALISADE_DOCKER_IMAGE', 'image of --sandbox docker, as name@sha256:DIGEST'],
    ['DOCKER_HOST', 'its engine; over TCP with DOCKER_TLS_VERIFY and DOCKER_CERT_PATH'],
    ['PALISADE_PUBLIC_ORIGIN', 'how what serve offers is reached: https://HOST'],
    ['PALISADE_SMTP_HOST', 'relay for mail to people; docs/operating.md has the rest of it'],
    ['PALISADE_RETENTION_DAYS', 'how long ended runs are kept (default: for ever)'],
    [
      'PALISADE_SESSION_IDLE_DAYS',
      'days without a change after which a session is closed (default 7; 0: never)',
    ],
    ['PALISADE_LEASE_MS', 'how long an engine that stands still keeps its runs (default 30000)'],
    ['ACCESSIBLE', 'no motion; progress as plain lines'],
    ['NO_COLOR, FORCE_COLOR', 'turn colour off or on; --color is stronger'],
    ['AI_AGENT, CI', 'never draw live progress, never ask'],
    ['XDG_CONFIG_HOME', "where the user's settings file is"],
    ['XDG_CACHE_HOME', 'where compiled code is kept'],
    ['XDG_DATA_HOME', 'where the index of agent transcripts is kept, and what agents tell each other'],
    ['PALISADE_TRANSCRIPTS_DB', 'the file of that index itself'],
    ['PALISADE_CONSOLE_DB', 'the file of what agents tell each other'],
    [
      'PALISADE_EMBED_BASE_URL',
      'endpoint of vectors of transcripts (default: made here); docs/transcripts.md has the rest of it',
    ],
    ['CLAUDE_CONFIG_DIR', 'where Claude Code keeps transcripts; so do CODEX_HOME and COPILOT_HOME of theirs'],
  ];
  const width = Math.max(...rows.map(([name]) => name.length)) + 1;
  return `${rows.map(([name, meaning]) => `${name.padEnd(width)} ${meaning}`).join('\n')}\n`;
}

const json = `--json            one document on standard output: the answer of the operation, unchanged
--json=a,b.c      only these fields; of each entry when the answer is a listing {data, has_more}
--json=?          names the fields and does nothing else
--format ndjson   one record a line; for run, watch and events: one committed event a line
--format tsv|md   a table;  --format id  only ids
errors            {"error":{code,message,hint,next,issues,retryable}} and the same exit code
progress and hints go to standard error; standard output holds data only
`;

const agents = `Without a terminal, in continuous integration and under an agent nothing is redrawn and nothing is asked:
one line per state change, one block at the end with every failure in full, one exit code.
pal run PLAN --detach --format id     start and return at once with the run id
pal watch RUN --timeout 60s           exit 8 means still going; watch again
pal show RUN --json                   the run and its items
pal explain RUN/ITEM                  why, and the command that helps
pal help exit-codes                   what the exit code means
Repeat a mutation safely with --idempotency-key KEY. Secrets go by file or standard input, never by flag.
`;
