import {
  type AnyManifest,
  type ApprovalManifest,
  approvalRecordText,
  type BundleEntry,
  type ContentHash,
  canonicalBytes,
  canonicalHash,
  canonicalJson,
  contentHash,
  type DsseEnvelope,
  type EventData,
  type EventType,
  type EvidenceBundle,
  eventHash,
  type Manifest,
  type ManifestInput,
  type ProductFacts,
  type SandboxSettings,
  SEAL_PAYLOAD_TYPE,
  type SealStatement,
} from '@palisade/contracts';
import { signEnvelope } from '../src/dsse.ts';
import {
  buildBundle,
  ed25519Signer,
  LogPublisher,
  LogReader,
  type Signer,
  sealLeaf,
  sealRun,
  trustRootFrom,
} from '../src/index.ts';
import { copyOf, type Mutable } from './forge.ts';
import { MemoryFiles, MemoryLeaves } from './memory-files.ts';

/** Milliseconds between two entries. */
const STEP = 7;

/** 2026-01-01T00:00:00Z */
export const START = 1_767_225_600_000;
export const ORIGIN = 'log.example/palisade';

const WORKER = 'm0123456789abcdef_6a1f0c9e-0000-4000-8000-000000000000_4026531836_4026531834_4711_99';

/** A run being told: appends events to a ledger exactly as the journal would. */
export class Story {
  readonly runId: string;
  readonly entries: BundleEntry[] = [];
  readonly manifests: AnyManifest[] = [];
  at: number;
  #submittedAt = 0;

  constructor(runId: string, at = START) {
    this.runId = runId;
    this.at = at;
  }

  tell<T extends EventType>(type: T, data: EventData<T>): this {
    const seq = this.entries.length;
    const stream = `run:${this.runId}`;
    const previous = this.entries.at(-1)?.hash ?? null;
    this.at += STEP;
    const hash = eventHash({ stream, seq, type, at: this.at, data: canonicalJson(data) }, previous);
    this.entries.push({ seq, type, at: this.at, data: { ...data }, hash });
    return this;
  }

  submit(items: number, openEnded: { readonly open_ended?: true } = {}): this {
    this.#submittedAt = this.at + STEP;
    return this.tell('run.submitted', {
      run: this.runId,
      title: 'harden the release – «émoji 🦔»',
      queue: 'default',
      actor: 'human:ann',
      items,
      plan_ref: contentHash(`plan of ${this.runId}`),
      workspace: { kind: 'git', commit: '0'.repeat(40) },
      ...openEnded,
    });
  }

  /** Fires an attempt by its manifest, or by one that says something else. */
  fire(item: string, attempt = 1, inputs: ManifestInput[] = [], change: Partial<Manifest> = {}): this {
    const run = `${this.runId}-${item}-${attempt}`;
    const manifest = {
      ...manifestOf(this.runId, item, attempt, run, this.at + STEP, inputs),
      submitted_at: this.#submittedAt,
      ...change,
    };
    this.manifests.push(manifest);
    return this.tell('item.fired', { item, attempt, run, manifest_ref: canonicalHash(manifest) });
  }

  start(item: string, attempt = 1): this {
    const run = `${this.runId}-${item}-${attempt}`;
    return this.tell('item.started', { item, attempt, run, sandbox: 'bubblewrap', worker: WORKER });
  }

  reconcile(
    item: string,
    status: EventData<'item.reconciled'>['status'],
    attempt = 1,
    product?: ProductFacts,
    posture?: readonly string[],
  ): this {
    const run = `${this.runId}-${item}-${attempt}`;
    return this.tell('item.reconciled', {
      item,
      attempt,
      run,
      status,
      outcome: status === 'done' ? 'succeeded' : 'failed',
      exit_code: status === 'done' ? 0 : 1,
      ...(product === undefined ? {} : { product }),
      ...(posture === undefined ? {} : { posture: [...posture] }),
    });
  }

  /** Has somebody asked for an approval, who gives it. */
  approve(item: string, approver: string): this {
    const attempt_run = `${this.runId}-${item}-1`;
    const request = `apr_${contentHash(attempt_run).slice(-32)}`;
    const manifest: ApprovalManifest = {
      schema_version: 1,
      kind: 'approval',
      request,
      run_id: this.runId,
      item_id: item,
      attempt: 1,
      attempt_run,
      title: item,
      actor: 'human:ann',
      submitted_at: this.#submittedAt,
      fired_at: this.at + STEP,
      executor: 'approval',
      prompt: 'Write it?',
      inputs: [],
      on_expiry: 'deny',
      four_eyes: true,
      distinct_from: [],
      workspace: { kind: 'git', commit: '0'.repeat(40) },
    };
    this.manifests.push(manifest);
    const named = { item, attempt: 1, run: attempt_run };
    const request_hash = canonicalHash(manifest);
    this.tell('item.fired', { ...named, manifest_ref: request_hash });
    this.tell('item.approval_requested', { ...named, request, request_hash, on_expiry: 'deny' });
    const decided = { request, request_hash, decision: 'approve' as const, decided_at: this.at };
    const record = approvalRecordText({
      schema_version: 1,
      run_id: this.runId,
      item_id: item,
      approver,
      ...decided,
    });
    const ref = contentHash(record);
    this.tell('item.decided', { ...named, ...decided, actor: approver, record: ref });
    return this.reconcile(item, 'done', 1, { outputs: [{ path: 'approval', ref, size: record.length }] });
  }

  complete(status: EventData<'run.completed'>['status'], counts: Record<string, number>): this {
    return this.tell('run.completed', { run: this.runId, status, counts });
  }
}

export const patchOf = (item: string): ContentHash => contentHash(`patch of ${item}`);
export const reportOf = (item: string): ContentHash => contentHash(`report of ${item}`);

export function productOf(item: string): ProductFacts {
  return {
    result_ref: patchOf(item),
    patch: { files: 1, added: 3, deleted: 1, bytes: 120 },
    outputs: [{ path: 'report.md', ref: reportOf(item), size: 42 }],
    verify: { passed: true, report: 'ok', duration_ms: 12 },
    usage: { input_tokens: 1200, cost_usd: 1e-7 },
  };
}

/** A run of three items with a retry, two handoffs and a skip. */
export function sampleStory(runId = 'run-a', at = START): Story {
  return new Story(runId, at)
    .submit(4)
    .fire('spec')
    .start('spec')
    .reconcile('spec', 'done', 1, productOf('spec'))
    .fire('code', 1, [patchInput('base', 'spec')])
    .start('code')
    .reconcile('code', 'retrying')
    .fire('code', 2, [patchInput('base', 'spec'), outputInput('notes', 'spec')])
    .start('code', 2)
    .reconcile('code', 'done', 2, productOf('code'))
    .fire('lint', 1, [{ key: 'rules', ref: contentHash('rules'), applied: false }])
    .reconcile('lint', 'failed')
    .tell('item.skipped', { item: 'publish', because: 'lint' })
    .complete('failed', { done: 2, failed: 1, skipped: 1, canceled: 0 });
}

export const patchInput = (key: string, from: string): ManifestInput => ({
  key,
  from,
  select: { kind: 'patch' },
  ref: patchOf(from),
  applied: true,
});

export const outputInput = (key: string, from: string): ManifestInput => ({
  key,
  from,
  select: { kind: 'output', path: 'report.md' },
  ref: reportOf(from),
  applied: false,
});

export const SANDBOX: SandboxSettings = {
  isolation: 'sandboxed',
  provider: 'bubblewrap',
  network: false,
  memory_bytes: 1 << 30,
  processes: 64,
  file_bytes: 1 << 30,
  output_bytes: 1 << 20,
};

/** A key that is a function of a number, so that vectors are the same on every machine. */
export function testSigner(seed: number, keyid?: string): Signer {
  // PKCS #8 of an Ed25519 key is a fixed prefix and the 32-byte seed (RFC 8410).
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  return ed25519Signer(Buffer.concat([prefix, Buffer.alloc(32, seed)]), keyid);
}

export const OPS_KEY = testSigner(1, 'ops-2026');

export const TRUST_ROOT = trustRootFrom(ORIGIN, [{ ...OPS_KEY, notBefore: START - 86_400_000 }]);

/** An installation's log in memory. */
export class TestLog {
  readonly files = new MemoryFiles();
  readonly leaves = new MemoryLeaves();
  signer: Signer;
  readonly origin: string;

  constructor(signer = OPS_KEY, origin = ORIGIN) {
    this.signer = signer;
    this.origin = origin;
  }

  publisher(): LogPublisher {
    return new LogPublisher({
      files: this.files,
      leaves: this.leaves,
      origin: this.origin,
      signer: this.signer,
    });
  }

  /** Seals a story and exports its bundle. */
  async seal(story: Story, signer = this.signer): Promise<EvidenceBundle> {
    const { envelope } = await sealRun({ runId: story.runId, entries: story.entries, signer });
    return this.log(story, envelope);
  }

  /** Seals a story with a statement that says something else, as whoever holds the key can. */
  async sealFalsely(
    story: Story,
    change: (statement: Mutable<SealStatement>) => void,
  ): Promise<EvidenceBundle> {
    const { runId, entries } = story;
    const statement = copyOf((await sealRun({ runId, entries, signer: this.signer })).statement);
    change(statement);
    return this.log(story, await signEnvelope(SEAL_PAYLOAD_TYPE, canonicalBytes(statement), this.signer));
  }

  /** Logs a sealed story, publishes, and exports its bundle. */
  async log(story: Story, seal: DsseEnvelope): Promise<EvidenceBundle> {
    const leaf = sealLeaf(story.runId, seal);
    const index = this.leaves.leaves.push(leaf) - 1;
    await this.publisher().publish();
    return buildBundle({
      runId: story.runId,
      entries: story.entries,
      manifests: story.manifests,
      seal,
      log: await new LogReader(this.files).prove(index, leaf),
    });
  }
}

function manifestOf(
  runId: string,
  item: string,
  attempt: number,
  run: string,
  at: number,
  inputs: ManifestInput[],
): Manifest {
  return {
    schema_version: 1,
    run_id: runId,
    item_id: item,
    attempt,
    attempt_run: run,
    actor: 'human:ann',
    submitted_at: 0,
    fired_at: at,
    deadline_at: at + 7_200_000,
    executor: 'local',
    agent: {
      name: 'coder',
      hash: contentHash('coder'),
      definition: {
        schema_version: 1,
        name: 'coder',
        system_prompt: null,
        prompt_template: null,
        model: null,
        run: { harness: 'command', command: 'true' },
        capabilities: [],
      },
    },
    harness: { name: 'command', version: '0.1.0' },
    capabilities: [],
    environments: [],
    env_names: ['MODE', 'TOKEN'],
    secret_refs: [{ name: 'TOKEN', ref: 'secret:ci/1' }],
    inputs,
    prompt_hash: contentHash(`do ${item}`),
    workspace: { kind: 'git', commit: '0'.repeat(40) },
    pipeline: [{ kind: 'agent' }, { kind: 'capture', what: 'patch' }],
    sandbox: SANDBOX,
    setup_timeout_ms: 120_000,
    kill_grace_ms: 10_000,
    holds: [],
  };
}
