import {
  archiveProject,
  callerOf,
  canonicalJson,
  contentHash,
  createProject,
  declaredOperations,
  getArtifact,
  getPolicy,
  getRun,
  getSchedule,
  hostCaller,
  isOfProject,
  listProducts,
  listRequests,
  listRuns,
  listSecrets,
  type Operation,
  PalisadeError,
  putSecret,
  registerEnvironment,
  rerun,
  restoreProject,
  submitPlan,
} from '@palisade/contracts';
import { fileBlobStore } from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { keepProduct } from '@palisade/runs';
import { expect, it } from 'vitest';
import type * as z from 'zod';
import { furnish } from '../test/furnished-project.ts';
import { EVERY_SCOPE, httpRig } from '../test/http-rig.ts';
import { runEngine } from './run-engine.ts';

const HOST = 'human:ada';

async function rigOf(url: string) {
  const rig = await httpRig(url.startsWith('postgres') ? { databaseUrl: url } : {});
  const host = callerOf(rig.composition.operations, HOST);
  const within =
    (project: string) =>
    <Op extends Operation>(operation: Op, input: z.input<Op['input']>, as?: 'outside') =>
      host.call(operation, input, {
        project,
        ...(as === undefined
          ? {}
          : {
              caller: {
                ...hostCaller('agent:x'),
                kind: 'agent' as const,
                principal: 'prn_1',
                credential: 'crd_1',
              },
            }),
      });
  for (const key of ['ours', 'theirs']) await host.call(createProject, { key });
  const blobs = fileBlobStore(rig.composition.plane.blobs);
  return {
    rig,
    host,
    ours: within('ours'),
    theirs: within('theirs'),
    other: within('default'),
    blobs,
    furnish: (project: string, name: string) => furnish(rig.composition, blobs, project, name),
  };
}

const problemOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no problem',
    (error: unknown) =>
      error instanceof PalisadeError
        ? { code: error.code, message: error.message, issues: error.issues }
        : error,
  );

eachDatabase('projects of one installation', (open) => {
  const opened = () => rigOf(open.url());

  it('AC-005: the same names mean each project’s own things, side by side', async () => {
    const { furnish, ours, theirs, rig } = await opened();
    const [mine, yours] = [await furnish('ours', 'nightly'), await furnish('theirs', 'nightly')];
    expect([mine.run, yours.run]).toEqual(['ours~nightly', 'theirs~nightly']);
    for (const [call, { run, ref }] of [
      [ours, mine],
      [theirs, yours],
    ] as const) {
      const found = await call(getRun, { run: 'nightly' });
      expect(found.run.id).toBe(run);
      expect((await call(getRun, { run: '-' })).run.id).toBe(run);
      expect((await call(listRuns, {})).data.map(({ id }) => id)).toEqual([run]);
      expect((await call(listRequests, {})).data.map(({ run_id: id }) => id)).toEqual([run]);
      expect((await call(getSchedule, { name: 'nightly' })).schedule.name).toBe('nightly');
      expect(await call(getArtifact, { ref: ref as never }, 'outside')).toMatchObject({ ref });
    }
    await expect(ours(getArtifact, { ref: yours.ref as never }, 'outside')).rejects.toMatchObject({
      code: 'not_found',
    });
    const { body } = await rig.send('GET', '/v1/projects', {
      token: rig.token(['read'], { project: 'ours' }),
    });
    expect(body.data.map((project) => (project as unknown as { key: string }).key)).toEqual(['ours']);
  });

  it('AC-005: a plan, an agent and an environment name what their own project has, and no other’s', async () => {
    const { furnish, ours } = await opened();
    const { name, run, ref } = await furnish('theirs', 'foreign');
    const submit = (word: string, address: string) =>
      problemOf(
        ours(submitPlan, {
          sandbox: 'process',
          plan: {
            queue: word,
            items: [
              { id: 'a', agent: word },
              { id: 'b', command: 'true', inputs: { env: word, capabilities: [word], pipeline: word } },
            ],
          },
        }),
      ).then((problem) => JSON.stringify(problem).replaceAll(word, 'NAME').replaceAll(address, 'ADDRESS'));
    const foreign = await submit(name, ref);
    expect(foreign).toContain('invalid_plan');
    expect(foreign.match(/NAME/g)?.length).toBeGreaterThan(4);
    expect(foreign).toBe(await submit('nowhere', ref));
    for (const secret of [name, 'nowhere'])
      await expect(
        ours(registerEnvironment, { name: 'e', secrets: { S: { ref: `secret:${secret}` } } }),
      ).rejects.toMatchObject({ code: 'secret_missing' });
    const inputs = (address: string) =>
      problemOf(
        ours(
          submitPlan,
          { plan: { items: [{ id: 'a', command: 'true', inputs: { inputRefs: { x: address as never } } }] } },
          'outside',
        ),
      ).then((problem) => JSON.stringify(problem).replaceAll(address, 'ADDRESS'));
    expect(await inputs(ref)).toContain('there is no content ADDRESS');
    expect(await inputs(ref)).toBe(await inputs(`sha256:${'0'.repeat(64)}`));
    expect(await problemOf(ours(rerun, { run }))).toMatchObject({ code: 'not_found' });
    expect((await ours(listSecrets, {})).data).toEqual([]);
  });

  it('EX-020: no name and no text that an agent leaves is a right to read what another project left', async () => {
    const { furnish, ours, rig, blobs } = await opened();
    const [mine, { ref }] = [await furnish('ours', 'nightly'), await furnish('theirs', 'nightly')];
    const listing = canonicalJson([{ path: 'x', ref, size: 1 }]);
    await blobs.put(Buffer.from(listing));
    const left = contentHash(listing);
    await rig.composition.database.write((tx) =>
      keepProduct(tx, 'ours-attempt', {
        summary: ref,
        outputs: [
          { path: ref, ref: left, size: listing.length },
          { path: 'outputs.json', ref: left, size: listing.length },
        ],
        warnings: ['1 of 2 outputs are left out of the record; outputs.json lists all', ref],
        deps: { at_setup: ref as never, at_finish: ref as never, tier: 'recorded' },
      }),
    );
    for (const run of [undefined, mine.run]) {
      const of = run === undefined ? {} : { run };
      await expect(ours(getArtifact, { ref: ref as never, ...of }, 'outside')).rejects.toMatchObject({
        code: 'not_found',
      });
      expect(await ours(getArtifact, { ref: left, ...of }, 'outside')).toMatchObject({ ref: left });
    }
    const items = [{ id: 'a', command: 'true', inputs: { inputRefs: { x: left, y: ref as never } } }];
    expect(await problemOf(ours(submitPlan, { plan: { items } }, 'outside'))).toMatchObject({
      issues: [{ path: 'items[0].inputs.inputRefs.y' }],
    });
    const many = Array.from({ length: 10_001 }, (_, n) => [`k${n}`, contentHash(`${n}`)] as const);
    const greedy = [{ id: 'a', command: 'true', inputs: { inputRefs: Object.fromEntries(many) } }];
    expect(await problemOf(ours(submitPlan, { plan: { items: greedy } }, 'outside'))).toMatchObject({
      issues: [{ path: 'items', message: 'they name 10001 contents, more than 10000' }],
    });
  });

  it('AC-070: nothing of an archived project starts or changes, whatever is called; what it has can be read', async () => {
    const { furnish, rig, host, ours } = await opened();
    const { run, item } = await furnish('ours', 'thing');
    const at = { project: 'ours' };
    await expect(host.call(archiveProject, { reason: 'r' }, at)).rejects.toMatchObject({
      code: 'project_active',
    });
    await rig.composition.database.write((tx) =>
      tx.sql.run("UPDATE runs SET state = 'completed', finished_at = 1 WHERE id = ?", [run]),
    );
    await host.call(archiveProject, { reason: 'sold' }, at);
    const token = rig.token(EVERY_SCOPE, { project: 'ours' });
    // These two look for themselves; see the tests of projects.
    const own = [archiveProject.id, restoreProject.id];
    const changes = declaredOperations().filter(
      (operation) => isOfProject(operation) && operation.effect !== 'read' && !own.includes(operation.id),
    );
    expect(changes.length).toBeGreaterThan(30);
    for (const { method, path, id } of changes) {
      const target = path.replace('{project}', 'ours').replace('{item}', item).replace('{run}', run);
      const isBodied = method === 'POST' || method === 'PUT';
      const reply = await rig.send(method, target.replaceAll(/\{[a-z_]+\}/g, 'thing'), {
        token,
        key: id,
        ...(isBodied ? { body: {} } : {}),
      });
      expect([id, reply.status, reply.body.code]).toEqual([id, 409, 'project_archived']);
    }
    expect((await ours(getRun, { run })).run.id).toBe(run);
    expect((await ours(listProducts, { run })).run_id).toBe(run);
    expect((await ours(getPolicy, {})).revision).toBe(1);
    const { schedule } = await ours(getSchedule, { name: 'thing' });
    expect(schedule.next_slot).toBeDefined();
    await host.call(restoreProject, { reason: 'ours again' }, at);
    await ours(putSecret, { name: 's', value: 'v' });
  });

  it('AC-070: a project is never both archived and at work, however archiving and submitting meet', async () => {
    const { host, rig } = await opened();
    for (let round = 0; round < 8; round++) {
      const key = `p${round}`;
      await host.call(createProject, { key });
      const plan = { items: [{ id: 'a', command: 'true' }] };
      await Promise.allSettled([
        ...[1, 2, 3].map(() => host.call(submitPlan, { plan, sandbox: 'process' }, { project: key })),
        host.call(archiveProject, { reason: 'r' }, { project: key }),
      ]);
      const [row] = await rig.composition.database.read((tx) =>
        tx.sql.all<{ archived: number | null; open: number }>(
          `SELECT archived_at AS archived, (SELECT COUNT(*) FROM runs r WHERE r.project = p.key AND r.finished_at IS NULL) AS open
           FROM projects p WHERE key = ?`,
          [key],
        ),
      );
      expect(row?.archived === null || row?.open === 0, key).toBe(true);
    }
  });

  it('EX-200: an attempt is given its own project’s secrets, and not those of another that are called the same', async () => {
    const { rig, ours, theirs } = await opened();
    const engine = await runEngine(rig.composition, () => {});
    try {
      for (const [call, value] of [
        [ours, 'apple'],
        [theirs, 'pear'],
      ] as const) {
        await call(putSecret, { name: 'fruit', value });
        await call(registerEnvironment, { name: 'e', secrets: { FRUIT: { ref: 'secret:fruit' } } });
      }
      for (const [call, value] of [
        [ours, 'apple'],
        [theirs, 'pear'],
      ] as const) {
        const items = [{ id: 'a', command: `test "$FRUIT" = ${value}`, inputs: { env: 'e' } }];
        const { run_id: run } = await call(submitPlan, { plan: { items }, sandbox: 'process' });
        await expect
          .poll(async () => (await call(getRun, { run })).run.state, { timeout: 60_000 })
          .toBe('completed');
      }
    } finally {
      await engine.stop();
    }
  });
});
