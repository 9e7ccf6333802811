const KiB = 1024;
const MiB = 1024 * KiB;

/** Every stated limit of the product, once. Sizes are bytes, times milliseconds. */
export const limits = {
  /** One capability bundle (DI-041). */
  capabilityBytes: 50 * MiB,
  capabilityEntries: 20_000,
  capabilityHeaderBytes: 8 * MiB,
  /** Regular files under `outputs/` (DI-116). */
  outputFileBytes: 100 * MiB,
  outputEntries: 256,
  /** A captured patch; beyond it the attempt fails with `capture_failed`, never a cut patch. */
  patchBytes: 256 * MiB,
  captureMs: 300_000,
  /** The files of a vendor's session that is kept for a retry. */
  sessionBytes: 32 * MiB,
  /** Bytes of a stored product in one reply; bigger ones are read in parts. */
  artifactPartBytes: 8 * MiB,
  /** What is kept of what the programs of an attempt print, and beside it of their standard error (DI-078). */
  outputBytes: 64 * MiB,
  errorOutputShare: 16,
  /** What a sandbox holds in memory of the output of one program. */
  stdoutBytes: 4 * MiB,
  stderrBytes: 256 * KiB,
  /** Self-verification report (DI-124). */
  verifyReportChars: 8_000,
  /** Dependency evidence file (DI-118). */
  depsBytes: 64 * KiB,
  /** A plan file and what is in it. */
  planBytes: 64 * MiB,
  /** A plan in a request over HTTP: 20,000 items fit. */
  planRequestBytes: 8 * MiB,
  planItems: 20_000,
  /** Different contents that a plan from outside may hand to its items by their addresses. */
  planInputRefs: 10_000,
  /** Items a run may grow by when its plan states no other fuse (DI-204). */
  grownItems: 1_000,
  /** Items of one part a run grows by: their names fit in its event. */
  partItems: 1_000,
  /** The list of items an agent wants (DI-200), and what a fix is told of a gate or of a reviewer. */
  spawnBytes: 256 * KiB,
  gateReasonChars: 4_000,
  locksPerItem: 64,
  /** Items of one queue at once. */
  queueConcurrency: 10_000,
  /** A run that wants a slot and gets none is one priority higher after this long. */
  priorityAgeMs: 60_000,
  priority: 100,
  inputBytes: 1 * MiB,
  /** What a client takes as the answer to one call that states no other limit: as large as the largest plan. */
  answerBytes: 64 * MiB,
  /** One record of a log: a line of 16 MiB whose every byte is escaped in JSON. */
  logRecordBytes: 100 * MiB,
  /** One deployment: its entries, and the files of all its capabilities together (DI-050). */
  deployEntries: 1_000,
  deployBytes: 256 * MiB,
  /** Its request over HTTP: what is bigger is deployed in parts, or where the control plane is. */
  deployRequestBytes: 128 * MiB,
  /** A question of an agent, its options and what it says around them; all of it as canonical JSON. */
  questionChars: 4_000,
  optionChars: 500,
  questionOptions: 20,
  questionContextChars: 16_000,
  questionBytes: 24 * KiB,
  /** What an agent leaves to find again with its answer, as canonical JSON (DI-119). */
  partialStateBytes: 1 * MiB,
  answerChars: 16_000,
  decisionReasonChars: 1_000,
  /** One message to an agent that runs, as UTF-8, and how many one item is sent at most (DI-121). */
  messageBytes: 16 * KiB,
  itemMessages: 256,
  /** One secret value, as UTF-8: what fits in one environment variable with room to spare. */
  secretBytes: 64 * KiB,
  /** One event's data. Bigger facts go to a blob and the event carries its hash. */
  eventBytes: 256 * KiB,
  /** The facts of one product as canonical JSON: they fit in an event with much room to spare. */
  productBytes: 160 * KiB,
  /** The part of it that outputs which other items of the plan need may take; see `outputsBytes`. */
  neededOutputBytes: 64 * KiB,
  /** Deadlines (DI-174, DI-100, DI-112). */
  attemptMs: 7_200_000,
  setupMs: 120_000,
  scriptMs: 600_000,
  verifyMs: 600_000,
  /** Polite stop before SIGKILL (DI-134). */
  killGraceMs: 10_000,
  /** Retry (DI-173). */
  maxAttempts: 2,
  retryBaseMs: 1_000,
  retryMaxMs: 300_000,
  /** How long an authorizer may think, how long its decision holds before it is asked again, and how many questions of one engine or one submission are under way. */
  authorizeMs: 10_000,
  authorizationMs: 60_000,
  authorizeAtOnce: 64,
  /** How long one that fails is asked again about an attempt, `retryBaseMs` to `retryMaxMs` apart, before the item fails. */
  undecidedMs: 8 * 3_600_000,
  /** Leases (EX-092). */
  leaseMs: 30_000,
  jobMaxAttempts: 5,
  jobBackoffBaseMs: 100,
  jobBackoffMaxMs: 30_000,
  /** Housekeeping: how long answers to idempotency keys are kept, how young a blob is always kept, and the longest retention of runs. */
  receiptMs: 30 * 86_400_000,
  blobGraceMs: 86_400_000,
  retentionDays: 2_555,
  /** Runs that a schedule may make up for at once, and due times that are counted (DI-210). */
  catchUpRuns: 100,
  countedSlots: 2_000,
  /** Default sandbox limits. */
  memoryBytes: 4 * 1024 * MiB,
  processes: 512,
  fileBytes: 4 * 1024 * MiB,
  /** Everything an attempt holds on the disk together, and in how many files. */
  diskBytes: 64 * 1024 * MiB,
  diskFiles: 4_000_000,
} as const;

/** The longest time Node can wait in one timer, ms: a longer one ends at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Longest JSON of a tool's result, bytes (AO-130): what is larger helps no model. */
export const TOOL_RESULT_BYTES = 1024 * 1024;
