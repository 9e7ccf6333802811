import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type EventData,
  type EventView,
  type ItemView,
  noItems,
  type Operation,
  PalisadeError,
  parseInput,
  RUN_TERMINAL,
  type RunView,
} from '@palisade/contracts';
import type { Connections, ControlPlane } from '../../src/control-plane.ts';
import { deployment } from './deployment.ts';
import { START } from './record.ts';
import type { RecordedRun, Scenario } from './scenario.ts';

const KEY = 'ed25519-1111111111111111';
const QUEUES = [
  { name: 'default', concurrency: 8, used: 2 },
  { name: 'narrow', concurrency: 1, used: 1 },
];

/**
 * A control plane that answers from a recording. Inputs and outputs are checked against the
 * contracts, so it cannot say what the real one could not. `PALISADE_DOUBLE` names the scenario and
 * `PALISADE_DOUBLE_CALLS` a file that receives every call as a line of JSON.
 */
export function doubleConnections(scenarioFile: string, callsFile: string | undefined): Connections {
  const scenario = JSON.parse(readFileSync(scenarioFile, 'utf8')) as Scenario;
  sinceGate = gateOf(scenario.gate);
  let isAbsent = scenario.absent === true;
  const note = (call: object): void => {
    if (callsFile !== undefined) appendFileSync(callsFile, `${JSON.stringify(call)}\n`);
  };
  return {
    async openControlPlane({ directory, create }) {
      note({ open: directory, create });
      isAbsent &&= create !== true;
      if (isAbsent)
        throw new PalisadeError('not_initialized', 'there is no control plane here', { next: 'pal init' });
      return new Double(scenario, directory, note);
    },
    async findCredential(bytes) {
      const { credential } = scenario;
      return credential !== undefined && Buffer.from(bytes).includes(credential)
        ? { pattern: 'test-token', line: 1 }
        : null;
    },
  };
}

class Double implements ControlPlane {
  readonly database = 'sqlite recording';
  readonly isReadOnly: boolean;
  readonly directory: string;
  readonly #scenario: Scenario;
  readonly #note: (call: object) => void;
  readonly #failures: Map<string, number>;

  constructor(scenario: Scenario, directory: string, note: (call: object) => void) {
    this.#scenario = scenario;
    this.directory = directory;
    this.isReadOnly = scenario.readOnly === true;
    this.#note = note;
    this.#failures = new Map(
      Object.entries(scenario.failures ?? {}).map(([id, failure]) => [id, failure.times ?? Infinity]),
    );
  }

  async ensureEngine(): Promise<void> {
    this.#note({ ensure_engine: this.directory });
  }

  exists(): boolean {
    return this.#scenario.vanishes !== true;
  }

  async engineLives(): Promise<boolean> {
    return false;
  }

  async close(): Promise<void> {}

  call: ControlPlane['call'] = async (operation, input, context) => {
    this.#note({ call: operation.id, input, context });
    const failure = this.#scenario.failures?.[operation.id];
    const left = this.#failures.get(operation.id) ?? 0;
    if (failure !== undefined && left > 0) {
      this.#failures.set(operation.id, left - 1);
      const { code, message, next, issues = [] } = failure;
      throw new PalisadeError(code, message, next === undefined ? { issues } : { next, issues });
    }
    const parsed = parseInput(operation.input, input, operation.id) as Record<string, unknown>;
    const answer = await this.#answer(operation, parsed);
    return parseInput(operation.output, answer, `answer of ${operation.id}`) as never;
  };

  async #answer(operation: Operation, input: Record<string, unknown>): Promise<unknown> {
    const canned = this.#scenario.answers?.[operation.id];
    if (canned !== undefined) return canned;
    switch (operation.id) {
      case 'runs.list': {
        const states = input['state'] as string[] | undefined;
        const runs = this.#scenario.runs.map((entry) => viewOf(entry).run);
        const kept = states === undefined ? runs : runs.filter((run) => states.includes(run.state));
        const limit = (input['limit'] as number | undefined) ?? 100;
        const start = Number(input['cursor'] ?? 0);
        const hasMore = kept.length > start + limit;
        return {
          data: kept.slice(start, start + limit),
          has_more: hasMore,
          ...(hasMore ? { next_cursor: String(start + limit) } : {}),
        };
      }
      case 'schedules.list':
      case 'webhooks.list':
        return { data: [] };
      case 'runs.get':
        return viewOf(this.#find(input['run']));
      case 'runs.events':
        return this.#events(input);
      case 'runs.logs':
        return this.#logs(input);
      case 'runs.extend': {
        const { items: given = [], close = false } = input as { items?: { id: string }[]; close?: boolean };
        const { run, items } = viewOf(this.#find(input['run']));
        const added = given.map(({ id }) => `${id}-more`);
        return { run_id: run.id, added, already: [], items: items.length + added.length, closed: close };
      }
      case 'runs.cancel': {
        const { run } = viewOf(this.#find(input['run']));
        return { run_id: run.id, accepted: !RUN_TERMINAL.has(run.state), state: run.state };
      }
      case 'requests.list': {
        const asked = this.#scenario.requests ?? [];
        const run = input['run'] === undefined ? undefined : this.#find(input['run']).run.id;
        const data = asked.filter(
          (request) =>
            (run === undefined || request.run_id === run) &&
            (input['all'] === true || request.state === 'open'),
        );
        return { data, has_more: false };
      }
      case 'requests.answer':
      case 'requests.decide': {
        const run = this.#find(input['run']).run.id;
        const request = this.#scenario.requests?.find(
          (each) => each.run_id === run && each.item === input['item'] && each.state === 'open',
        );
        if (request === undefined) throw new PalisadeError('invalid_state', 'it asks nothing');
        const { option, decision, reason } = input;
        const state = decision === undefined ? 'answered' : decision === 'approve' ? 'approved' : 'denied';
        const answer = input['answer'] ?? request.options?.[Number(option) - 1];
        return {
          request: {
            ...request,
            state,
            answered_at: START,
            answered_by: 'human:ann',
            ...(answer === undefined ? {} : { answer }),
            ...(option === undefined ? {} : { option }),
            ...(decision === undefined ? {} : { decision }),
            ...(reason === undefined ? {} : { reason }),
          },
        };
      }
      case 'runs.pause':
      case 'runs.resume': {
        const { run } = viewOf(this.#find(input['run']));
        return { run_id: run.id, accepted: !RUN_TERMINAL.has(run.state), state: run.state };
      }
      case 'runs.budget': {
        const { run } = viewOf(this.#find(input['run']));
        const { cost_usd: cost, seconds, tokens, attempts } = input;
        const budget = {
          ...(cost === undefined ? {} : { cost_micro_usd: Number(cost) * 1e6 }),
          ...(seconds === undefined ? {} : { run_ms: Number(seconds) * 1000 }),
          ...(tokens === undefined ? {} : { tokens }),
          ...(attempts === undefined ? {} : { attempts }),
        };
        return { run_id: run.id, budget, state: run.state };
      }
      case 'usage.get':
        return { by: input['by'] ?? 'agent', data: [{ key: 'reviewer', ...SPENT }, SPENT], total: SPENT };
      case 'metrics.get':
        return { data: FIGURES };
      case 'queues.pause':
      case 'queues.resume':
        return { name: input['name'], accepted: true };
      case 'runs.products': {
        const entry = this.#find(input['run']);
        const items = input['items'] as string[] | undefined;
        const data = (entry.products ?? []).filter(
          (product) => items === undefined || items.includes((product as { item: string }).item),
        );
        return { run_id: entry.run.id, workspace: entry.run.workspace, data };
      }
      case 'artifacts.get': {
        const base64 = this.#scenario.blobs?.[String(input['ref'])];
        if (base64 === undefined) throw new PalisadeError('not_found', 'no such artifact');
        const whole = Buffer.from(base64, 'base64');
        const offset = Number(input['offset'] ?? 0);
        // Small parts, so that every product comes in several.
        const part = whole.subarray(offset, offset + 100);
        const end = offset + part.length;
        return {
          ref: input['ref'],
          size: whole.length,
          offset,
          base64: part.toString('base64'),
          ...(end < whole.length ? { next_offset: end } : {}),
        };
      }
      case 'storage.collect':
        return {
          dry_run: input['dry_run'] === true,
          runs: 2,
          receipts: 0,
          secrets: 0,
          attempts: 1,
          idle_sessions: 0,
          blobs: { kept: 9, removed: 3, bytes: 4_096 },
          runs_before: START,
        };
      case 'evidence.revoke-key':
        return { keyid: input['keyid'], revoked_at: input['since'] };
      case 'evidence.status':
        return {
          log_origin: 'log.example/palisade',
          leaves: 7,
          attesters: [
            { name: 'tsa.example/stamp', kind: 'timestamp', leaves: 7, attested_at: START, failures: 0 },
            {
              name: 'witness.example/w1',
              kind: 'witness',
              leaves: 5,
              attested_at: START - 60_000,
              failures: 2,
              error: 'witness.example did not answer within 10000 ms (upstream_failed)',
              next_try_at: START + 60_000,
            },
          ],
        };
      case 'evidence.rotate-key':
        return input['dry_run'] === true
          ? { retired: KEY }
          : { retired: input['keyid'] ?? KEY, keyid: 'ed25519-2222222222222222', at: START };
      case 'deployments.apply':
        return deployment(input as Parameters<typeof deployment>[0]);
      case 'queues.list':
        return { data: QUEUES };
      case 'queues.get': {
        const queue = QUEUES.find(({ name }) => name === input['name']);
        if (queue === undefined)
          throw new PalisadeError('not_found', `there is no queue ${String(input['name'])}`);
        return { queue, runs: queue.used === 0 ? [] : [{ run_id: 'run_x', used: queue.used }] };
      }
      case 'queues.set': {
        const previous = QUEUES.find(({ name }) => name === input['name'])?.concurrency;
        const { name, concurrency = previous ?? 8, rate, max_open_runs, max_priority } = input;
        return {
          name,
          concurrency,
          ...(previous === undefined ? {} : { previous }),
          ...(rate === undefined ? {} : { rate }),
          ...(max_open_runs === undefined ? {} : { max_open_runs }),
          ...(max_priority === undefined ? {} : { max_priority }),
        };
      }
      default:
        throw new PalisadeError('internal', `the recording has no answer to ${operation.id}`);
    }
  }

  #find(ref: unknown): RecordedRun {
    const runs = this.#scenario.runs;
    const first = runs[0];
    if (ref === '-' && first !== undefined) return first;
    const found = runs.filter(
      ({ run }) => run.id.startsWith(String(ref)) || run.id.startsWith(`run_${String(ref)}`),
    );
    const only = found[0];
    if (only === undefined)
      throw new PalisadeError('not_found', `no run ${String(ref)}`, { next: 'pal status' });
    if (found.length > 1)
      throw new PalisadeError('ambiguous_id', `${String(ref)} matches ${found.length} runs`);
    return only;
  }

  async #events(input: Record<string, unknown>): Promise<unknown> {
    const entry = this.#find(input['run']);
    const after = (input['after_seq'] as number | undefined) ?? -1;
    const limit = (input['limit'] as number | undefined) ?? 1000;
    const deadline = performance.now() + ((input['wait_ms'] as number | undefined) ?? 0);
    for (;;) {
      const fresh = visibleEvents(entry).filter((event) => event.seq > after);
      if (fresh.length > 0 || performance.now() >= deadline) {
        const sealed = visibleEvents(entry).length === entry.events.length && entry.run.sealed;
        return { data: fresh.slice(0, limit).map(plain), has_more: fresh.length > limit, sealed };
      }
      await delay(20);
    }
  }

  #logs(input: Record<string, unknown>): unknown {
    const entry = this.#find(input['run']);
    const item = viewOf(entry).items.find((candidate) => candidate.id === input['item']);
    if (item === undefined) throw new PalisadeError('not_found', `no item ${String(input['item'])}`);
    const lines = entry.logs?.[item.id] ?? [];
    const offset = (input['offset'] as number | undefined) ?? 0;
    return {
      attempt: (input['attempt'] as number | undefined) ?? item.attempt,
      lines: lines.slice(offset, offset + 1000),
      next_offset: Math.min(lines.length, offset + 1000),
      complete: offset + 1000 >= lines.length && item.state !== 'running',
    };
  }
}

function plain(event: EventView & { visible_ms?: number }): EventView {
  const { visible_ms: _, ...rest } = event;
  return rest;
}

const FIGURES = [
  {
    name: 'palisade_items_skipped_total',
    type: 'counter',
    help: 'Items that never started.',
    samples: [{ name: 'palisade_items_skipped_total', labels: {}, value: 3 }],
  },
  {
    name: 'palisade_running',
    type: 'gauge',
    help: 'Items that run now.',
    samples: [{ name: 'palisade_running', labels: { queue: 'default' }, value: 2 }],
  },
];
const SPENT = {
  cost_usd: 1.25,
  tokens: 48_000,
  seconds: 754,
  attempts: 7,
  unknown_cost: 2,
  unknown_tokens: 2,
};

/** Milliseconds since the gate opened; negative until then. */
let sinceGate = (): number => performance.now();

function gateOf(file: string | undefined): () => number {
  if (file === undefined) return () => performance.now();
  let opened: number | undefined;
  return () => {
    if (opened === undefined && existsSync(file)) opened = performance.now();
    return opened === undefined ? -1 : performance.now() - opened;
  };
}

function visibleEvents(entry: RecordedRun): readonly (EventView & { visible_ms?: number })[] {
  const now = sinceGate();
  return entry.events.filter((event) => event.visible_ms === undefined || event.visible_ms <= now);
}

/** The run and its items after the events that are visible now. */
function viewOf(entry: RecordedRun): { run: RunView; items: ItemView[]; last_seq: number } {
  const items = new Map(entry.items.map((item) => [item.id, { ...item }]));
  let run = { ...entry.run };
  const visible = visibleEvents(entry);
  for (const event of visible) {
    const item = items.get(event.data['item'] as string);
    if (event.type === 'item.fired' && item !== undefined) {
      item.state = 'running';
      item.attempt = (event.data as EventData<'item.fired'>).attempt;
      item.started_at = event.at;
      run = { ...run, state: 'running', started_at: run.started_at ?? event.at };
    } else if (event.type === 'item.reconciled' && item !== undefined) {
      const data = event.data as EventData<'item.reconciled'>;
      item.state = data.status === 'retrying' ? 'ready' : data.status;
      if (data.status === 'needs_input') run = { ...run, state: 'waiting' };
      item.finished_at = event.at;
      if (data.reason !== undefined) item.reason = data.reason;
      if (data.code !== undefined) item.code = data.code;
      if (data.product !== undefined) item.product = data.product;
    } else if (event.type === 'item.denied' && item !== undefined) {
      item.state = 'denied';
      item.code = 'policy_denied';
      item.reason = (event.data as EventData<'item.denied'>).reason;
    } else if (event.type === 'item.skipped' && item !== undefined) {
      item.state = 'skipped';
      item.reason = `because ${event.data['because'] as string} did not end well`;
    } else if (event.type === 'run.completed') {
      run = { ...run, state: (event.data as EventData<'run.completed'>).status, finished_at: event.at };
    }
  }
  const counts = noItems();
  for (const item of items.values()) counts[item.state]++;
  const sealed = entry.run.sealed && visible.length === entry.events.length;
  return {
    run: { ...run, counts, sealed },
    items: [...items.values()],
    last_seq: visible.at(-1)?.seq ?? -1,
  };
}
