import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { getArtifact, listRuns, submitPlan } from '@palisade/contracts';
import { fileBlobStore } from '@palisade/kernel';
import type { ControlPlane } from '@palisade/server';
import { afterEach, expect, it } from 'vitest';
import {
  blobsOf,
  ended,
  makeRepository,
  openAt,
  palisade,
  removeInstallation,
  startEngine,
  until,
  verified,
} from '../support/installation.ts';
import { eachInstallationDatabase, type InstallationDatabase } from '../support/installation-database.ts';

const RETENTION = { PALISADE_RETENTION_DAYS: '1' };
const LONG_AGO = new Date(Date.now() - 3 * 86_400_000);

let root = '';
let plane: ControlPlane;
afterEach(async () => {
  await plane.close();
  removeInstallation(root);
});

eachInstallationDatabase('housekeeping of an installation', (makeDatabase) => {
  let database: InstallationDatabase;

  async function installation(): Promise<void> {
    root = makeRepository({ 'a.txt': 'zero\n' });
    database = await makeDatabase();
    plane = await database.within(() => openAt(root));
  }

  async function run(id: string): Promise<`sha256:${string}`> {
    const plan = {
      items: [{ id: 'a', command: `echo ${id} > a.txt; mkdir outputs; echo out > outputs/${id}` }],
    };
    await plane.call(submitPlan, { plan, run_id: id, repository: root });
    await database.within(() => startEngine(plane));
    const { items } = await ended(plane, id);
    const ref = items[0]?.product?.result_ref;
    if (ref === undefined) throw new Error('there is no patch');
    return ref;
  }

  const engineGone = () => until('the engine to leave', async () => !(await plane.engineLives()));

  /** A blob nobody refers to. */
  async function orphan(text: string): Promise<`sha256:${string}`> {
    return (await fileBlobStore(blobsOf(root)).put(Buffer.from(text))).hash;
  }

  /** Makes everything that is stored three days old. */
  function ageBlobs(): void {
    for (const file of readdirSync(blobsOf(root), { recursive: true, encoding: 'utf8' }))
      utimesSync(join(blobsOf(root), file), LONG_AGO, LONG_AGO);
  }

  async function isWhole(id: string, ref: `sha256:${string}`): Promise<void> {
    expect((await verified(plane, id)).report.intact).toBe(true);
    const part = await plane.call(getArtifact, { ref });
    expect(Buffer.from(part.base64, 'base64').toString()).toContain(`+${id}`);
  }

  it('DI-082 DI-030: killed anywhere it is finished by the next one, and what is kept stays whole all the while', {
    timeout: 180_000,
  }, async () => {
    await installation();
    const [old, kept] = [await run('old'), await run('kept')];
    await engineGone();
    const abandoned = await orphan('abandoned');
    ageBlobs();
    const threeDays = 3 * 86_400_000;
    await database.tamper(root, `UPDATE runs SET finished_at = finished_at - ${threeDays} WHERE id = 'old'`);
    const gc = (env: Readonly<Record<string, string>> = {}, ...args: string[]) =>
      palisade(root, ['gc', ...args], { ...database.env, ...RETENTION, ...env });

    const foreseen = await gc({}, '--dry-run');
    expect(foreseen.stdout).toMatch(/^would remove {2}1 run, \d+ unreachable blobs of /);
    expect((await plane.call(listRuns, {})).data).toHaveLength(2);
    for (const point of ['retire.after-mark', 'retire.in-removal', 'collect.in-trash']) {
      expect(await gc({ PALISADE_FAULT: point }), point).toMatchObject({ signal: 'SIGKILL' });
      await isWhole('kept', kept);
    }
    const done = await gc();
    expect(done, done.stderr).toMatchObject({ code: 0 });
    await isWhole('kept', kept);
    for (const ref of [old, abandoned])
      await expect(plane.call(getArtifact, { ref })).rejects.toMatchObject({ code: 'not_found' });
    expect(readdirSync(join(blobsOf(root), 'trash'))).toEqual([]);
    expect((await plane.call(listRuns, {})).data.map(({ id }) => id)).toEqual(['kept']);
    expect((await gc()).stdout).toContain('removed  nothing');
    // The log still has the leaf of the run that is gone: what others were given stays verifiable.
    expect((await verified(plane, 'kept')).bundle.log).toMatchObject({ leaf_index: 1, tree_size: 2 });
    await expect(
      plane.call(submitPlan, { plan: { items: [{ id: 'a', command: 'true' }] }, run_id: 'old' }),
    ).rejects.toMatchObject({ code: 'already_exists' });
  });

  it('DI-082 FF-084: an engine does what is due by itself, keeps runs for ever unless told otherwise, and leaves then', {
    timeout: 120_000,
  }, async () => {
    await installation();
    const first = await run('first');
    await engineGone();
    const abandoned = await orphan('abandoned');
    ageBlobs();
    await database.tamper(root, 'UPDATE runs SET finished_at = finished_at - 99999999999');
    expect(await database.tamper(root, 'UPDATE chores SET due_at = 0')).toBe(2);
    await run('second');
    const hex = abandoned.slice(7);
    const file = join(blobsOf(root), hex.slice(0, 2), hex.slice(2, 4), hex);
    await until('the abandoned blob to go', async () => !existsSync(file));
    await engineGone();
    await isWhole('first', first);
    const refused = await palisade(root, ['gc'], { ...database.env, PALISADE_RETENTION_DAYS: '2556' });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('from 1 to 2555')]);
  });
});
