import * as z from 'zod';
import { OutputRef } from './events.ts';
import { EvidenceBundle, evidenceLimits } from './evidence.ts';
import { limits } from './limits.ts';
import { Priority } from './plan.ts';
import { operation } from './operation.ts';
import { Cursor } from './page.ts';
import { EventView, ItemStateValue, ItemView, RunStateValue, RunView } from './run-views.ts';
import { ArgumentText, Hash, Json, Millis, Name } from './schema.ts';

/** A run reference: full id, unique prefix, the part after `run_`, or `-` for the newest run. */
export const RunRef = z.string().min(1).max(200);

/** A plan before it is validated: everything wrong with it is told at once, and not only the first thing. */
const UnreadPlan = z
  .unknown()
  .describe(
    'a plan, an object such as {"items": [{"id": "build", "command": "make", "depends_on": []}]}; an item has a command, or an agent and a prompt',
  );

export const submitPlan = operation({
  id: 'plans.submit',
  method: 'POST',
  path: '/v1/projects/{project}/runs',
  summary: 'Validate a plan and start a run of it',
  effect: 'mutation',
  access: 'write',
  bodyBytes: limits.planRequestBytes,
  input: z.strictObject({
    plan: UnreadPlan,
    repository: ArgumentText.max(4_096)
      .describe(
        'Absolute path, on the machine of the server, of the repository that the work is done in. Without it agents see an empty workspace',
      )
      .optional(),
    base: ArgumentText.max(1_024).describe('Any revision of that repository; HEAD when absent').optional(),
    run_id: Name.optional(),
    title: z.string().max(200).optional(),
    priority: Priority.describe("In place of the plan's").optional(),
    sandbox: Name.describe('Sandbox provider by name; the strongest of the machine when absent').optional(),
    default_model: ArgumentText.max(128)
      .describe('Model, by level or name, of items for which neither they nor their agent ask for one')
      .optional(),
    require_isolation: z.boolean().describe('Refuse a sandbox that is no boundary').optional(),
    allow_network: z
      .boolean()
      .describe("The caller's half of the permission of a network; the item's is the other")
      .optional(),
    dry_run: z.boolean().optional(),
  }),
  output: z.strictObject({
    run_id: z.string(),
    created: z.boolean(),
    items: z.int(),
    sandbox: z.string(),
    isolation: z.enum(['sandboxed', 'unsandboxed-host']),
    warnings: z.array(z.string()),
  }),
  errors: [
    'invalid_plan',
    'already_exists',
    'requirements_unmet',
    'credential_in_text',
    'policy_denied',
    'upstream_failed',
    'not_found',
    'concurrency_exceeded',
  ],
});

export const extendRun = operation({
  id: 'runs.extend',
  method: 'POST',
  path: '/v1/projects/{project}/runs/{run}/items',
  summary: 'Add items to an open-ended run',
  effect: 'mutation',
  access: 'write',
  bodyBytes: limits.planRequestBytes,
  input: z.strictObject({
    run: RunRef,
    /** Plan items; they may depend on those the run has. Every name is resolved now. */
    items: z.array(z.unknown()).max(limits.planItems).optional(),
    /** Nothing can be added afterwards: the run ends when all its items have ended. */
    close: z.boolean().optional(),
    dry_run: z.boolean().optional(),
  }),
  output: z.strictObject({
    run_id: z.string(),
    /** Ids that are new; those the run had already, just the same, are in `already`. */
    added: z.array(Name),
    already: z.array(Name),
    /** Items the run has now. */
    items: z.int(),
    closed: z.boolean(),
  }),
  errors: [
    'invalid_plan',
    'invalid_state',
    'already_exists',
    'too_large',
    'requirements_unmet',
    'credential_in_text',
    'policy_denied',
    'upstream_failed',
    'not_found',
    'ambiguous_id',
  ],
});

export const validatePlan = operation({
  id: 'plans.validate',
  method: 'POST',
  path: '/v1/projects/{project}/plans/validate',
  summary: 'Report every problem of a plan without starting anything',
  effect: 'read',
  access: 'read',
  bodyBytes: limits.planRequestBytes,
  input: z.strictObject({ plan: UnreadPlan }),
  output: z.strictObject({
    ok: z.boolean(),
    items: z.int(),
    issues: z.array(z.strictObject({ path: z.string(), message: z.string() })),
    /** What is allowed and will hardly be what its author means. */
    warnings: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
  }),
  errors: [],
});

export const listRuns = operation({
  id: 'runs.list',
  method: 'GET',
  path: '/v1/projects/{project}/runs',
  summary: 'Runs, newest first',
  effect: 'read',
  access: 'read',
  input: z.strictObject({
    state: z.array(RunStateValue).optional(),
    cursor: Cursor.optional(),
    limit: z.int().min(1).max(1000).optional(),
  }),
  output: z.strictObject({
    data: z.array(RunView),
    has_more: z.boolean(),
    next_cursor: z.string().optional(),
  }),
  errors: [],
});

export const getRun = operation({
  id: 'runs.get',
  method: 'GET',
  path: '/v1/projects/{project}/runs/{run}',
  summary: 'One run with its items',
  effect: 'read',
  access: 'read',
  input: z.strictObject({
    run: RunRef,
    /** `none` leaves the items out: the answer costs the same whatever their number. Default `all`. */
    items: z.enum(['all', 'none']).optional(),
  }),
  output: z.strictObject({ run: RunView, items: z.array(ItemView), last_seq: z.int() }),
  errors: ['not_found', 'ambiguous_id'],
});

export const listEvents = operation({
  id: 'runs.events',
  method: 'GET',
  path: '/v1/projects/{project}/runs/{run}/events',
  summary: "A run's committed events after a position",
  effect: 'read',
  access: 'read',
  input: z.strictObject({
    run: RunRef,
    after_seq: z.int().min(-1).optional(),
    limit: z.int().min(1).max(10_000).optional(),
    wait_ms: z.int().min(0).max(60_000).optional(),
  }),
  output: z.strictObject({ data: z.array(EventView), has_more: z.boolean(), sealed: z.boolean() }),
  errors: ['not_found', 'ambiguous_id'],
});

export const readLog = operation({
  id: 'runs.logs',
  method: 'GET',
  path: '/v1/projects/{project}/runs/{run}/items/{item}/log',
  summary: "An item's redacted output, live or finished",
  effect: 'read',
  access: 'read',
  input: z.strictObject({
    run: RunRef,
    item: Name,
    attempt: z.int().positive().optional(),
    offset: z.int().nonnegative().optional(),
    max_bytes: z.int().positive().max(16_777_216).optional(),
  }),
  output: z.strictObject({
    attempt: z.int().nonnegative(),
    lines: z.array(Json),
    next_offset: z.int(),
    complete: z.boolean(),
  }),
  answerBytes: limits.logRecordBytes + limits.inputBytes,
  errors: ['not_found', 'ambiguous_id'],
});

export const cancelRun = operation({
  id: 'runs.cancel',
  method: 'POST',
  path: '/v1/projects/{project}/runs/{run}/cancel',
  summary: 'Stop a run, or one item of it; running work is really stopped',
  effect: 'mutation',
  isDestructive: true,
  access: 'write',
  input: z.strictObject({
    run: RunRef,
    item: Name.optional(),
    reason: z.string().max(500).optional(),
    /** Answers whether it would be accepted, and wishes nothing. */
    dry_run: z.boolean().optional(),
  }),
  output: z.strictObject({ run_id: z.string(), accepted: z.boolean(), state: RunStateValue }),
  errors: ['not_found', 'ambiguous_id', 'invalid_state'],
});

export const rerun = operation({
  id: 'runs.rerun',
  method: 'POST',
  path: '/v1/projects/{project}/runs/{run}/rerun',
  summary: "Start a new run of a finished run's plan, on the same base",
  effect: 'mutation',
  access: 'write',
  input: z.strictObject({
    run: RunRef,
    only_failed: z.boolean().optional(),
    run_id: Name.optional(),
    dry_run: z.boolean().optional(),
    /** As for {@link submitPlan}; the plan's sandbox is the one it was frozen with. */
    require_isolation: z.boolean().optional(),
  }),
  output: z.strictObject({ run_id: z.string(), items: z.int() }),
  errors: [
    'not_found',
    'ambiguous_id',
    'invalid_state',
    'already_exists',
    'requirements_unmet',
    'policy_denied',
    'upstream_failed',
    'concurrency_exceeded',
  ],
});

export const listProducts = operation({
  id: 'runs.products',
  method: 'GET',
  path: '/v1/projects/{project}/runs/{run}/products',
  summary: 'Patches and outputs of the finished items, in dependency order',
  effect: 'read',
  access: 'read',
  input: z.strictObject({ run: RunRef, items: z.array(Name).optional() }),
  output: z.strictObject({
    run_id: z.string(),
    workspace: RunView.shape.workspace,
    data: z.array(
      z.strictObject({
        item: Name,
        state: ItemStateValue,
        result_ref: Hash.optional(),
        outputs: z.array(OutputRef),
        base_patches: z.array(Name),
        /** The item whose good end counts instead of this one's: its product takes the place of this one. */
        settled_by: Name.optional(),
      }),
    ),
  }),
  errors: ['not_found', 'ambiguous_id'],
});

export const getArtifact = operation({
  id: 'artifacts.get',
  method: 'GET',
  path: '/v1/projects/{project}/artifacts/{ref}',
  summary: 'The bytes of a product, base64, in parts',
  effect: 'read',
  access: 'read',
  input: z.strictObject({
    ref: Hash,
    /** The run that left it: found sooner than in all that the project's runs left. */
    run: RunRef.optional(),
    offset: z.int().nonnegative().optional(),
    limit: z.int().positive().max(limits.artifactPartBytes).optional(),
  }),
  output: z.strictObject({
    ref: Hash,
    /** Bytes of the whole product. */
    size: z.int().nonnegative(),
    /** Where this part starts. */
    offset: z.int().nonnegative(),
    base64: z.string(),
    /** Where the next part starts; absent on the last. Whoever joins parts compares the whole with `ref`. */
    next_offset: z.int().positive().optional(),
  }),
  errors: ['not_found', 'integrity_mismatch'],
});

export const exportEvidence = operation({
  id: 'evidence.export',
  method: 'GET',
  path: '/v1/projects/{project}/runs/{run}/evidence',
  summary: "A sealed run's evidence bundle",
  effect: 'read',
  access: 'read',
  input: z.strictObject({ run: RunRef }),
  output: EvidenceBundle,
  answerBytes: evidenceLimits.bundleBytes + 1,
  errors: ['not_found', 'ambiguous_id', 'invalid_state'],
});

export const getTrustRoot = operation({
  id: 'evidence.trust-root',
  method: 'GET',
  path: '/v1/evidence/trust-root',
  summary: "This installation's public keys, to be handed to an auditor",
  effect: 'read',
  access: 'read',
  input: z.strictObject({}),
  output: z.strictObject({ trust_root: Json }),
  errors: [],
});

/** How it went with a timestamp authority or a witness that this installation asks. */
export const AttesterView = z.strictObject({
  name: z.string(),
  kind: z.enum(['timestamp', 'witness']),
  /** Size of the largest tree it attested; 0 when none. */
  leaves: z.int().nonnegative(),
  attested_at: Millis.optional(),
  /** Its timestamps are kept unverified and attest nothing here: no certificates are set to check them by. */
  unverified: z.literal(true).optional(),
  /** Failures since. */
  failures: z.int().nonnegative(),
  error: z.string().optional(),
  next_try_at: Millis.optional(),
});

export const getEvidenceStatus = operation({
  id: 'evidence.status',
  method: 'GET',
  path: '/v1/evidence/status',
  summary: 'The log of seals, and how far others have attested it',
  effect: 'read',
  access: 'read',
  input: z.strictObject({}),
  output: z.strictObject({
    log_origin: z.string(),
    /** Seals in the log. */
    leaves: z.int().nonnegative(),
    attesters: z.array(AttesterView),
  }),
  errors: [],
});

export const revokeKey = operation({
  id: 'evidence.revoke-key',
  method: 'POST',
  path: '/v1/evidence/keys/{keyid}/revoke',
  summary: 'Declare a retired key compromised: its evidence holds only as far as a verified time is earlier',
  effect: 'privileged',
  access: 'system',
  input: z.strictObject({
    keyid: z.string().min(1).max(128),
    /** Since when somebody else may have had it; not in the future. An earlier declaration stays. */
    since: Millis,
    dry_run: z.boolean().optional(),
  }),
  output: z.strictObject({ keyid: z.string(), revoked_at: Millis }),
  errors: ['not_found', 'invalid_state', 'invalid_input'],
});

export const rotateKey = operation({
  id: 'evidence.rotate-key',
  method: 'POST',
  path: '/v1/evidence/keys/rotate',
  summary: 'Replace the key that signs evidence; evidence made before stays verifiable',
  effect: 'privileged',
  access: 'system',
  input: z.strictObject({
    /** The key that is to be retired, as the caller saw it; another one is a conflict. */
    keyid: z.string().min(1).max(128).optional(),
    /** Answers which key would be retired, and changes nothing. */
    dry_run: z.boolean().optional(),
  }),
  output: z.strictObject({
    retired: z.string(),
    /** The key that signs from now on; absent for a dry run, as is `at`. */
    keyid: z.string().optional(),
    at: Millis.optional(),
  }),
  errors: ['stale_revision', 'requirements_unmet'],
});
