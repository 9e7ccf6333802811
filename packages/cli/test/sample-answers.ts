import type { MessageView, RequestView, SentMessage } from '@palisade/contracts';
import { HARDEN } from './double/harden.ts';
import { START } from './double/record.ts';

/* What the stand-in answers to commands that show or change what there is. */

export const row = {
  name: 'x',
  revision: 1,
  hash: `sha256:${'ab'.repeat(32)}` as const,
  registered_at: START,
};
export const registered = { name: 'x', revision: 1, hash: row.hash, created: true };
export const catalogue = { data: [row], has_more: false };
export const history = { row, revisions: [row] };
export const endpoint = {
  name: 'x',
  kind: 'anthropic',
  url: 'https://m.example',
  credential: 'api-key',
  default_model: 'standard',
  models: { fast: 'some-small-model' },
};
/** Of an answered question, an open one, and an approval. */
const asked = (n: number, item: string, more: Partial<RequestView>): RequestView => ({
  id: `apr_${String(n).repeat(32)}`,
  kind: 'question',
  run_id: HARDEN,
  run_title: 'harden-release',
  item,
  attempt: 1,
  hash: `sha256:${'ab'.repeat(32)}`,
  state: 'open',
  text: 'Which way?',
  asked_at: START,
  ...more,
});
export const requests: readonly RequestView[] = [
  asked(1, 'spec', { state: 'answered', answered_at: START, answered_by: 'human:bob', answer: 'left' }),
  asked(2, 'fix-login', { options: ['left', 'right'], context: 'There are two.\u001B[31m\nOne is red.' }),
  asked(3, 'publish', {
    kind: 'approval',
    text: 'push agent/fix-login -> main',
    inputs: [{ key: 'work', from: 'fix-login', select: { kind: 'patch' }, ref: row.hash, applied: false }],
    role: 'release manager',
    four_eyes: true,
    on_expiry: 'deny',
  }),
];
const sent = (seq: number, body: string): SentMessage => ({
  id: `msg_${String(seq).repeat(32)}`,
  run_id: HARDEN,
  item: 'spec',
  seq,
  bytes: Buffer.byteLength(body),
  hash: `sha256:${'cd'.repeat(32)}`,
  sent_by: 'human:ann',
  sent_at: START,
});
const given = (seq: number, body: string, attempts: readonly number[]): MessageView => ({
  ...sent(seq, body),
  body,
  delivered: attempts.map((attempt) => ({ attempt, at: START + 1_000 })),
});
/** To an agent that was started anew after the first one. */
export const messages: readonly MessageView[] = [
  given(1, 'Mind the tests.\n  And the \u001B[31mdocuments.', [1, 2]),
  given(2, 'Leave the second one.', []),
];
export const sentMessage = sent(3, 'And this.');
const DAY = 86_400_000;
export const nightly = {
  name: 'nightly',
  cron: '30 2 * * *',
  zone: 'Europe/Berlin',
  catch_up: 'latest',
  catch_up_limit: 10,
  overlap: 'allow',
  state: 'enabled',
  actor: 'human:ada',
  created_at: START,
  title: 'Nightly repairs',
  repository: '/srv/shop',
  next_slot: START + DAY,
  overdue: false,
  failures: 0,
};
export const broken = {
  ...nightly,
  name: 'weekly',
  state: 'suspended',
  reason: '5 tries in a row failed',
  failures: 5,
  last_error: { code: 'not_found', message: 'there is no readable directory /srv/shop', at: START },
};
export const slots = [
  { at: START, slot: START, outcome: 'submitted', run_id: 'nightly@2026-03-01T09:00Z', covers: 288 },
  { at: START - DAY, slot: START - DAY, outcome: 'skipped', covers: 1, reason: 'run x had not ended' },
];
export const ops = {
  name: 'ops',
  origin: 'https://hooks.example',
  allow_private: false,
  bearer: true,
  state: 'enabled',
  key_version: 2,
  former_key_until: START + DAY,
  created_at: START,
  pending: 1,
  undelivered: 1,
};
export const gone = {
  ...ops,
  name: 'gone',
  state: 'disabled',
  reason: 'it answered that it is gone (410)',
  pending: 0,
  undelivered: 0,
};
const message = { endpoint: 'ops', kind: 'run.failed', run_id: HARDEN, created_at: START };
export const deliveries = [
  { ...message, id: 'msg_3', state: 'pending', attempts: 2, reason: 'timeout', next_try_at: START + DAY },
  { ...message, id: 'msg_2', state: 'delivered', attempts: 1, status: 204, delivered_at: START },
  { ...message, id: 'msg_1', state: 'undelivered', attempts: 8, reason: 'http-status', status: 503 },
];
export const next = [START + DAY, START + 2 * DAY, START + 3 * DAY];
export const submitted = {
  run_id: HARDEN,
  created: true,
  items: 4,
  sandbox: 'bubblewrap',
  isolation: 'sandboxed',
  warnings: [],
};
export const secret = { name: 'x', ref: 'secret:x', version: 1, created_at: START };

/** What an agent is shown to be. */
export const agent = {
  harness: 'command',
  command: 'make it',
  model: 'm-large',
  capabilities: [{ name: 'skill', hash: `sha256:${'1'.repeat(64)}` }],
  verify: { command: 'make check' },
  prompt_template_bytes: 1_234,
};
