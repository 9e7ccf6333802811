import {
  bindOperation,
  type BoundOperation,
  type CallContext,
  getWebhook,
  isHost,
  isPalisadeError,
  listDeliveries,
  listWebhooks,
  newId,
  PalisadeError,
  removeWebhook,
  replayDeliveries,
  setWebhook,
  testWebhook,
  type WebhookView,
} from '@palisade/contracts';
import {
  answerOrRehearse,
  type Database,
  type EgressClient,
  type ReadTx,
  receiptOf,
  type SecretStore,
  type WriteTx,
} from '@palisade/kernel';
import type * as z from 'zod';
import { attempt, type AttemptDeps } from './attempt.ts';
import {
  countDeliveries,
  deliveries,
  refusePending,
  requeue,
  undeliveredOf,
  unknownIds,
} from './delivery-store.ts';
import {
  allEndpoints,
  deleteEndpoint,
  type Endpoint,
  existingEndpoint,
  findEndpoint,
  keyName,
  putEndpoint,
} from './endpoint-store.ts';
import { messageBody } from './outbox.ts';
import { keyOf } from './signature.ts';

/** How long a replaced key signs beside the new one where nobody says. */
const OVERLAP_MS = 86_400_000;
const SHOWN = 20;
const PAGE = 100;
const REPLAYED = 1_000;

export interface WebhookDeps extends AttemptDeps {
  readonly database: Database;
  /** Those of one project. */
  readonly secrets: (
    project: string,
  ) => Pick<SecretStore, 'putIn' | 'resolve' | 'check' | 'removeIn' | 'fingerprint'>;
  readonly egress: (allowLocal: boolean) => Pick<EgressClient, 'request' | 'vet'>;
}

/** The operations on webhook endpoints and what is sent to them. */
export function webhookOperations(deps: WebhookDeps): BoundOperation[] {
  const { database } = deps;
  return [
    bindOperation(setWebhook, (input, context) => set(deps, input, context)),
    bindOperation(listWebhooks, (_, { project }) =>
      database.read(async (tx) => {
        const counts = await countDeliveries(tx, project);
        return { data: (await allEndpoints(tx, project)).map((endpoint) => view(endpoint, counts)) };
      }),
    ),
    bindOperation(getWebhook, ({ name }, { project }) =>
      database.read(async (tx) => ({
        webhook: view(
          await existingEndpoint(tx, { project, endpoint: name }),
          await countDeliveries(tx, project),
        ),
        deliveries: await deliveries(tx, { project, endpoint: name, limit: SHOWN }),
      })),
    ),
    bindOperation(removeWebhook, ({ name, dry_run: dryRun }, context) => {
      const { project } = context;
      const endpoint = { project, endpoint: name };
      const remove = async (tx: WriteTx) => {
        await existingEndpoint(tx, endpoint);
        await refusePending(tx, endpoint);
        await deps.secrets(project).removeIn(tx, keyName(name));
        return { name, removed: await deleteEndpoint(tx, endpoint) };
      };
      const receipt = receiptOf(context, removeWebhook.id);
      return answerOrRehearse(database, { receipt, request: { name }, dryRun }, remove);
    }),
    bindOperation(testWebhook, (input, context) => test(deps, input, context)),
    bindOperation(listDeliveries, ({ endpoint, state, limit = PAGE, cursor }, { project }) =>
      database.read(async (tx) => {
        const found = await deliveries(tx, {
          project,
          endpoint,
          states: state,
          before: cursor,
          limit: limit + 1,
        });
        const data = found.slice(0, limit);
        const last = data.at(-1);
        const hasMore = found.length > limit;
        return {
          data,
          has_more: hasMore,
          ...(hasMore && last !== undefined ? { next_cursor: last.id } : {}),
        };
      }),
    ),
    bindOperation(replayDeliveries, ({ dry_run: dryRun, ...input }, context) => {
      if ((input.ids === undefined) === (input.endpoint === undefined))
        throw new PalisadeError('invalid_input', 'messages are named by ids or by an endpoint, one of them');
      const replay = async (tx: WriteTx) => ({
        ids: await requeue(tx, context.project, await meantBy(tx, context.project, input)),
      });
      const receipt = receiptOf(context, replayDeliveries.id);
      return answerOrRehearse(database, { receipt, request: input, dryRun }, replay);
    }),
  ];
}

async function set(
  deps: WebhookDeps,
  input: z.output<(typeof setWebhook)['input']>,
  context: CallContext,
): Promise<z.output<(typeof setWebhook)['output']>> {
  const { name, secret, dry_run: dryRun, ...request } = input;
  const { project } = context;
  const secrets = deps.secrets(project);
  const of = { project, endpoint: name };
  const known = await deps.database.read((tx) => findEndpoint(tx, of));
  const aim = aimOf(request, known);
  if (aim.url === undefined || (secret === undefined && known === undefined))
    throw new PalisadeError('invalid_input', `a new webhook endpoint needs its address and its key`, {
      next: `pal webhook set ${name} --url URL --secret generated`,
    });
  if (request.allow_private === true && !isHost(context.caller) && !context.caller.scopes.has('system'))
    throw new PalisadeError('operation_not_permitted', 'allow_private needs the scope system', {
      next: 'leave it out, or set the endpoint where the control plane is',
    });
  const { url, allowPrivate } = aim;
  await vet(deps, url, allowPrivate);
  if (secret !== undefined) keyOf(secret);
  if (typeof request.bearer === 'string') await secrets.check([request.bearer]);
  const receipt = receiptOf(context, setWebhook.id);
  const write = async (tx: WriteTx) => {
    const before = await findEndpoint(tx, of);
    const { bearer, dropped, ...now } = aimOf(request, before);
    // It was set or removed since its address was judged.
    if (now.url !== url || now.allowPrivate !== allowPrivate)
      throw new PalisadeError(
        'stale_revision',
        `the endpoint ${name} was changed by somebody else meanwhile`,
        {
          next: `pal webhook show ${name}`,
        },
      );
    const put = secret === undefined ? null : await secrets.putIn(tx, keyName(name), secret);
    const keyVersion = put?.version ?? before?.keyVersion;
    if (keyVersion === undefined) throw new PalisadeError('not_found', `the endpoint ${name} was removed`);
    const isRotated = before !== undefined && before.keyVersion !== keyVersion;
    const endpoint: Endpoint = {
      project,
      name,
      url,
      allowPrivate,
      bearer,
      state: 'enabled',
      reason: null,
      keyVersion,
      formerVersion: isRotated ? before.keyVersion : (before?.formerVersion ?? null),
      formerUntil: isRotated ? tx.now + (request.overlap_ms ?? OVERLAP_MS) : (before?.formerUntil ?? null),
      createdAt: before?.createdAt ?? tx.now,
    };
    await putEndpoint(tx, endpoint);
    return {
      webhook: view(endpoint, await countDeliveries(tx, project)),
      created: before === undefined,
      ...(dropped.length === 0 ? {} : { dropped }),
    };
  };
  const asked = { name, ...request, key: secret === undefined ? null : secrets.fingerprint(secret) };
  return answerOrRehearse(deps.database, { receipt, request: asked, dryRun }, write);
}

/**
 * Where an endpoint leads and what it takes along, as it is asked of the one there is. Leave to call private addresses, and a token, are
 * given for one origin: whoever leads the endpoint elsewhere has neither.
 */
function aimOf(
  asked: Pick<z.output<(typeof setWebhook)['input']>, 'url' | 'allow_private' | 'bearer'>,
  known: Endpoint | undefined,
) {
  const url = asked.url ?? known?.url;
  const isMoved = known !== undefined && url !== undefined && originOf(known.url) !== originOf(url);
  const held = { allow_private: known?.allowPrivate ?? false, bearer: known?.bearer ?? null };
  const kept = isMoved ? { allow_private: false, bearer: null } : held;
  return {
    url,
    allowPrivate: asked.allow_private ?? kept.allow_private,
    bearer: asked.bearer === undefined ? kept.bearer : asked.bearer,
    /** What is lost and was not asked for anew. */
    dropped: (['allow_private', 'bearer'] as const).filter(
      (each) => asked[each] === undefined && held[each] !== kept[each],
    ),
  };
}

function originOf(url: string): string {
  return new URL(url).origin;
}

/** Refuses an address that may never be called. One that cannot be judged now is judged at every attempt. */
async function vet({ egress }: WebhookDeps, url: string, allowPrivate: boolean): Promise<void> {
  try {
    await egress(allowPrivate).vet(url);
  } catch (error) {
    if (!isPalisadeError(error, 'policy_denied')) return;
    throw new PalisadeError('policy_denied', error.message, {
      ...(error.why === undefined ? {} : { why: error.why }),
      next: allowPrivate ? 'name another address' : 'https to a public address, or --allow-private',
      cause: error,
    });
  }
}

async function test(
  deps: WebhookDeps,
  { name, dry_run: dryRun }: z.output<(typeof testWebhook)['input']>,
  { project }: CallContext,
): Promise<z.output<(typeof testWebhook)['output']>> {
  const { endpoint, now } = await deps.database.write(async (tx) => ({
    endpoint: await existingEndpoint(tx, { project, endpoint: name }),
    now: tx.now,
  }));
  if (dryRun === true) return { name, delivered: false };
  const id = newId('msg', now);
  const body = messageBody('webhook.test', now, { run_id: 'test', endpoint: name });
  const message = { id, project, endpoint: name, kind: 'webhook.test', runId: 'test', body };
  const outcome = await attempt(deps, endpoint, message, now, new AbortController().signal);
  if (outcome.what === 'delivered') return { name, delivered: true, status: outcome.status };
  const { reason, status } = outcome;
  return { name, delivered: false, reason, ...(status === null ? {} : { status }) };
}

async function meantBy(
  tx: ReadTx,
  project: string,
  { ids, endpoint }: { readonly ids?: string[] | undefined; readonly endpoint?: string | undefined },
): Promise<string[]> {
  if (endpoint !== undefined) {
    const of = { project, endpoint };
    await existingEndpoint(tx, of);
    return undeliveredOf(tx, of, REPLAYED);
  }
  const [unknown] = await unknownIds(tx, project, ids ?? []);
  if (unknown === undefined) return ids ?? [];
  throw new PalisadeError('not_found', `there is no message ${unknown}`, { next: 'pal webhook deliveries' });
}

function view(endpoint: Endpoint, counts: Awaited<ReturnType<typeof countDeliveries>>): WebhookView {
  const { pending, undelivered } = counts.get(endpoint.name) ?? { pending: 0, undelivered: 0 };
  return {
    name: endpoint.name,
    origin: originOf(endpoint.url),
    allow_private: endpoint.allowPrivate,
    bearer: endpoint.bearer !== null,
    state: endpoint.state,
    ...(endpoint.reason === null ? {} : { reason: endpoint.reason }),
    key_version: endpoint.keyVersion,
    ...(endpoint.formerUntil === null ? {} : { former_key_until: endpoint.formerUntil }),
    created_at: endpoint.createdAt,
    pending,
    undelivered,
  };
}
