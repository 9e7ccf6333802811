import { remoteCaller } from '@palisade/client';
import {
  declaredOperations,
  type Operation,
  type OperationCaller,
  registerAgent,
  removeAgent,
  SCOPES,
  setQueue,
  submitPlan,
} from '@palisade/contracts';
import { compactReceipts } from '@palisade/kernel';
import { eachDatabase, type OpenDatabase } from '@palisade/kernel/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Cut, CuttingProxy } from '../../test/cutting-proxy.ts';
import { httpRig } from '../../test/http-rig.ts';
import { repeatableCalls } from '../../test/repeatable-calls.ts';

const CUTS: readonly Cut[] = ['before', 'head', 'body'];

/** A repeated submission says that this time nothing was made, and warns of nothing again. */
const saidAnew = ({ id }: Operation): object =>
  id === submitPlan.id ? { created: false, warnings: [] } : {};

/** What a caller can see of everything there is. */
async function seen(caller: OperationCaller): Promise<string> {
  const lists = declaredOperations().filter(
    ({ id, effect }) =>
      effect === 'read' &&
      /^(runs|queues|agents|capabilities|envs|pipelines|model_endpoints)\.list$/.test(id),
  );
  const told = [];
  for (const list of lists) told.push(await caller.call(list, {}));
  const runs = declaredOperations().find(({ id }) => id === 'runs.events') as Operation;
  for (const { id } of (told.at(-1) as { data: { id: string }[] }).data)
    told.push(await caller.call(runs, { run: id }));
  return JSON.stringify(told);
}

/** A server with a proxy before it; the caller is one that may name its sandbox, so that no machine's sandbox matters. */
async function proxied(open: OpenDatabase) {
  const url = open.url();
  const rig = await httpRig(url.startsWith('postgres') ? { databaseUrl: url } : {});
  const proxy = await CuttingProxy.before(rig.url);
  onTestFinished(() => proxy.close());
  const token = rig.token(SCOPES, { principal: null });
  const call = (origin: string) => remoteCaller({ origin, token });
  return { rig, proxy, token, direct: call(rig.url), remote: call(proxy.url) };
}

eachDatabase('an answer that is lost', (open, dialect) => {
  // Each call with each cut on SQLite; the other database does not see where a connection is cut.
  it.each(dialect === 'sqlite' ? [0, 1, 2] : [0])(
    'AC-024 AC-026: a call whose connection was cut is made again, executes once and gets the answer that was lost (turn %i)',
    async (turn) => {
      const { proxy, direct, remote } = await proxied(open);
      for (const [i, [operation, input]] of repeatableCalls.entries()) {
        let then = '';
        proxy.cutNext(CUTS[(i + turn) % CUTS.length] ?? 'before', async () => {
          then = await seen(direct);
        });
        const lost = proxy.cut.length;
        const answer = await remote.call(operation, input);
        expect(proxy.cut, operation.id).toHaveLength(lost + 1);
        expect(answer, operation.id).toEqual({
          ...JSON.parse(proxy.cut[lost] ?? ''),
          ...saidAnew(operation),
        });
        expect(await seen(direct), operation.id).toBe(then);
      }
    },
  );

  it('AC-056: what was revoked meanwhile gets no answer that was kept for it', async () => {
    const { rig, proxy } = await proxied(open);
    const token = rig.token(['provision']);
    proxy.cutNext('before', () => rig.revoke(token));
    const remote = remoteCaller({ origin: proxy.url, token });
    await expect(remote.call(setQueue, { name: 'q', concurrency: 2 })).rejects.toMatchObject({
      code: 'authentication_required',
    });
  });

  it('AC-026: an answer given again brings nothing back that is gone', async () => {
    const { direct } = await proxied(open);
    const input = { name: 'gone', run: { harness: 'command', command: 'true' } } as const;
    const first = await direct.call(registerAgent, input, { idempotencyKey: 'k' });
    await direct.call(removeAgent, { name: 'gone' });
    const after = await seen(direct);
    expect(await direct.call(registerAgent, input, { idempotencyKey: 'k' })).toEqual(first);
    expect(await seen(direct)).toBe(after);
  });

  it('AC-026: a key whose answer is no longer kept is refused, and never executed again', async () => {
    const { rig, direct } = await proxied(open);
    const keyed = repeatableCalls.map(([operation, input], i) => [operation, input, `k${i}`] as const);
    for (const [operation, input, idempotencyKey] of keyed)
      await direct.call(operation, input, { idempotencyKey });
    await compactReceipts(rig.composition.database, Number.MAX_SAFE_INTEGER);
    const after = await seen(direct);
    for (const [operation, input, idempotencyKey] of keyed)
      await expect(direct.call(operation, input, { idempotencyKey }), operation.id).rejects.toMatchObject({
        code: 'idempotency_result_expired',
      });
    expect(await seen(direct)).toBe(after);
  });
});

describe('the calls that are repeated', () => {
  it('are every change of runs, queues and the registry', () => {
    const rooms = /^(plans|runs|queues|agents|capabilities|envs|pipelines|model_endpoints)\./;
    const changes = declaredOperations().filter(({ id, effect }) => effect !== 'read' && rooms.test(id));
    const covered = new Set(repeatableCalls.map(([{ id }]) => id));
    expect(changes.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual(['runs.rerun']);
  });
});
