import {
  callerOf,
  defaultPipeline,
  extendRun,
  getRun,
  Manifest,
  type PipelineBlock,
  registerPipeline,
  rerun,
  submitPlan,
} from '@palisade/contracts';
import {
  type Database,
  fileBlobStore,
  MasterKey,
  revisionMigrations,
  secretMigrations,
  secretStore,
} from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { getDocument, listChildRuns } from '@palisade/runs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { command, engineStarter, migrations, ScriptedExecutor } from '../../test/engine-rig.ts';
import { registry, ShapeCatalogue } from '../index.ts';

const CHECKED: PipelineBlock[] = [
  { kind: 'script', lens: 'gate', command: 'make check' },
  { kind: 'agent' },
  { kind: 'capture', what: 'patch' },
];

/** A shape of a pack that was brought along. */
const SURVEY = {
  id: 'house.survey',
  effect: 'read-impure',
  permissions: { network: true, model: true, patch: false, outputs: true },
};

eachDatabase('pipelines that plans name', (open) => {
  const start = engineStarter(open);
  const opened = async () => {
    const directory = mkdtempSync(join(tmpdir(), 'palisade-pipelines-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const database = await open({ migrations: [...migrations, ...revisionMigrations, ...secretMigrations] });
    const secrets = secretStore({ database, masterKey: new MasterKey(Buffer.alloc(32, 7)) });
    const room = registry({ database, blobs: fileBlobStore(directory), secrets: () => secrets });
    const unused = async () => Promise.reject(new Error('unused'));
    const names = {
      agent: unused,
      capability: unused,
      environment: unused,
      modelEndpoint: unused,
      pipeline: (ref: string) => room.of('default').resolvePipeline(ref),
    };
    const shapes = await ShapeCatalogue.of([[SURVEY]]);
    const rig = await start(new ScriptedExecutor(), { database, deps: { names: () => names, shapes } });
    const register = (blocks: PipelineBlock[]) =>
      callerOf(room.operations).call(registerPipeline, { name: 'checked', blocks });
    const run = async (run_id: string, pipeline: string) => {
      await rig.ops.call(submitPlan, { run_id, plan: { items: [command('a', { inputs: { pipeline } })] } });
      expect(await rig.ended(run_id)).toBe('completed');
      return manifestOf(database, run_id);
    };
    return { rig, database, register, run };
  };

  it('DI-052 DI-220: a name is frozen to its content at submission, and the manifest has both', async () => {
    const { rig, database, register, run } = await opened();
    const { hash } = await register(CHECKED);
    const facts = { pipeline: CHECKED, pipeline_ref: { name: 'checked', hash } };
    expect(await run('named', 'checked')).toMatchObject(facts);
    await register(defaultPipeline(undefined));
    expect((await run('later', 'checked')).pipeline).toEqual(defaultPipeline(undefined));
    // What is printed is taken: the address alone, and the name with it.
    expect(await run('by-hash', hash)).toMatchObject(facts);
    expect(await run('pinned', `checked@${hash}`)).toMatchObject(facts);
    await rig.ops.call(rerun, { run: 'named', run_id: 'again' });
    await rig.ended('again');
    expect(await manifestOf(database, 'again')).toMatchObject(facts);
  });

  it('DI-052 DI-163: an unknown name is told with its place and leaves nothing behind, also in a template', async () => {
    const { rig, register } = await opened();
    await register(CHECKED);
    const template = { command: 'true', inputs: { pipeline: 'cheked' } };
    const items = [
      command('a', { inputs: { pipeline: 'none' } }),
      command('b', { inputs: { pipeline: 'checked', mapReduce: { map: template } } }),
    ];
    await expect(rig.ops.call(submitPlan, { run_id: 'r', plan: { items } })).rejects.toMatchObject({
      code: 'invalid_plan',
      issues: [
        { path: 'items[0].inputs.pipeline', message: 'there is no pipeline none' },
        { path: 'items[1].inputs.mapReduce.map.inputs.pipeline', message: 'there is no pipeline cheked' },
      ],
    });
    await expect(rig.ops.call(getRun, { run: 'r' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('DI-052 DI-163 DI-193: what a named pipeline leaves is checked as if it stood in the plan', async () => {
    const { rig, register } = await opened();
    const pipeline = 'checked';
    await register([...CHECKED, { kind: 'capture', what: 'outputs' }]);
    const need = (kind: object) => ({ part: { from: 'a', select: kind } });
    const submit = (items: readonly object[]) => rig.ops.call(submitPlan, { run_id: 'r', plan: { items } });
    await expect(submit([command('a', { shape: 'dev.verify', inputs: { pipeline } })])).rejects.toMatchObject(
      { code: 'invalid_plan', issues: [{ path: 'items[0].inputs.pipeline[2]' }] },
    );
    await register(CHECKED);
    const output = need({ kind: 'output', path: 'x' });
    await expect(
      submit([command('a', { inputs: { pipeline } }), command('b', { needs: output })]),
    ).rejects.toMatchObject({ code: 'invalid_plan', issues: [{ path: 'items[1].needs.part.select' }] });
  });

  it('DI-052 DI-163 DI-193: a named pipeline goes together with a shape of a pack, which it is held against', async () => {
    const { rig, register } = await opened();
    const surveys = [command('a', { shape: SURVEY.id, inputs: { pipeline: 'checked' } })];
    const submit = (run_id: string) => rig.ops.call(submitPlan, { run_id, plan: { items: surveys } });
    await register([{ kind: 'agent' }, { kind: 'capture', what: 'outputs' }]);
    await submit('fits');
    expect(await rig.ended('fits')).toBe('completed');
    const add = { run: 'open', items: surveys };
    await rig.ops.call(submitPlan, { run_id: 'open', plan: { open_ended: true, items: [command('first')] } });
    expect((await rig.ops.call(extendRun, add)).added).toEqual(['a']);
    await register(CHECKED);
    await expect(submit('misfit')).rejects.toMatchObject({
      code: 'invalid_plan',
      issues: [
        { path: 'items[0].inputs.pipeline[2]', message: 'house.survey is read-impure: it leaves no patch' },
      ],
    });
  });
});

async function manifestOf(database: Database, runId: string): Promise<Manifest> {
  return database.read(async (tx) => {
    const [attempt] = await listChildRuns(tx, runId);
    if (attempt === undefined) throw new Error(`${runId} has no attempt`);
    return Manifest.parse(JSON.parse(await getDocument(tx, runId, attempt.manifestRef)));
  });
}
