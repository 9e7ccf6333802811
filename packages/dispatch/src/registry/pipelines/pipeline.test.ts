import {
  canonicalHash,
  deploy,
  getPipeline,
  listPipelines,
  type PipelineBlock,
  registerAgent,
  registerPipeline,
  removePipeline,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { openRegistry } from '../../../test/open-registry.ts';
import { validatePipeline } from './pipeline.ts';

const JWT = ['ey', 'JhbGciOiJIUzI1NiJ9.ey', 'JzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N'].join('');
const AGENT: PipelineBlock = { kind: 'agent' };
const PATCH: PipelineBlock = { kind: 'capture', what: 'patch' };
const gate = (command: string): PipelineBlock => ({ kind: 'script', lens: 'gate', command });

eachDatabase('pipelines under names', (open) => {
  it('DI-052: content is immutable and addressed; the same again changes nothing, older content again rolls back', async () => {
    const { caller, registry } = await openRegistry(open);
    const register = (command: string) =>
      caller.call(registerPipeline, { name: 'checked', blocks: [gate(command), AGENT, PATCH] });
    const first = await register('one');
    expect(first).toMatchObject({ revision: 1, created: true });
    expect(await register('one')).toEqual({ ...first, created: false });
    const second = await register('two');
    expect((await registry.resolvePipeline('checked')).hash).toBe(second.hash);
    expect(await register('one')).toEqual({ ...first, revision: 3 });
    const { hash, definition } = await registry.resolvePipeline('checked');
    expect(hash).toBe(first.hash);
    expect(canonicalHash(definition)).toBe(hash);
    expect((await registry.resolvePipeline(second.hash)).definition.blocks[0]).toEqual(gate('two'));
    expect((await caller.call(listPipelines, {})).data).toMatchObject([
      { name: 'checked', hash, revision: 3 },
    ]);
    const shown = await caller.call(getPipeline, { name: 'checked' });
    expect(shown.revisions).toHaveLength(3);
    expect(shown.blocks).toEqual([gate('one'), AGENT, PATCH]);
    expect(await caller.call(getPipeline, { name: 'nothing' })).toMatchObject({ row: null, blocks: null });
  });

  it('DI-052: a name pinned with its address is that content and no other, wherever a name is asked for', async () => {
    const { caller, registry } = await openRegistry(open);
    const { hash } = await caller.call(registerPipeline, { name: 'p', blocks: [AGENT] });
    await caller.call(registerPipeline, { name: 'p', blocks: [AGENT, PATCH] });
    expect((await registry.resolvePipeline(`p@${hash}`)).definition.blocks).toEqual([AGENT]);
    expect((await caller.call(getPipeline, { name: `p@${hash}` })).row).toMatchObject({ revision: 1, hash });
    for (const ref of [`q@${hash}`, `p@sha256:${'0'.repeat(64)}`])
      await expect(registry.resolvePipeline(ref)).rejects.toMatchObject({ code: 'not_found' });
    // Nothing may be called what would be taken for an address.
    const call = caller.call(registerPipeline, { name: `p@${hash}`, blocks: [AGENT] });
    await expect(call).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('FF-143: a self-check that will not count is told when it is registered, and refused nothing', async () => {
    const { caller } = await openRegistry(open);
    const verify: PipelineBlock = { kind: 'script', lens: 'verify', command: 'true' };
    const early = [AGENT, verify, PATCH];
    const pipeline = await caller.call(registerPipeline, { name: 'early', blocks: early });
    expect(pipeline.warnings).toMatchObject([{ path: 'blocks[1]' }]);
    const run = { harness: 'command', command: 'true' } as const;
    const agent = await caller.call(registerAgent, { name: 'early', run, pipeline: early });
    expect(agent.warnings).toMatchObject([{ path: 'pipeline[1]' }]);
    const well = await caller.call(registerPipeline, { name: 'well', blocks: [AGENT, PATCH, verify] });
    expect(well.warnings).toBeUndefined();
  });

  it('DI-052: a removed name means nothing, and its content stays under its address', async () => {
    const { caller, registry } = await openRegistry(open);
    const { hash } = await caller.call(registerPipeline, { name: 'p', blocks: [AGENT] });
    expect(await caller.call(removePipeline, { name: 'p' })).toEqual({ name: 'p', removed: true });
    await expect(registry.resolvePipeline('p')).rejects.toMatchObject({ code: 'not_found' });
    expect((await registry.resolvePipeline(hash)).definition.name).toBe('p');
  });

  it('DI-052 DI-048: what is not right is refused with every problem, and commands are searched for credentials', async () => {
    const { caller } = await openRegistry(open);
    const blocks = [{ kind: 'seal' }, { kind: 'script' }, { kind: 'capture', what: 'all' }] as never;
    const refused = caller.call(registerPipeline, { name: 'p', blocks });
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_input',
      issues: [{ path: 'blocks[0].kind' }, { path: 'blocks[1].command' }, { path: 'blocks[2].what' }],
    });
    const leaking = { name: 'p', blocks: [gate(`curl -H ${JWT}`)] };
    await expect(caller.call(registerPipeline, leaking)).rejects.toMatchObject({
      code: 'credential_in_text',
    });
    await caller.call(registerPipeline, { ...leaking, allow_credential_patterns: ['jwt'] });
  });

  it('DI-050 DI-052: a deployment has pipelines, tells what changed by name, and prunes its own', async () => {
    const { caller } = await openRegistry(open);
    const entry = (blocks: PipelineBlock[]) => ({ kind: 'pipeline' as const, input: { name: 'p', blocks } });
    const apply = (entries: ReturnType<typeof entry>[], more: object = {}) =>
      caller.call(deploy, { name: 'shop', entries, ...more });
    expect((await apply([entry([AGENT])])).data).toMatchObject([{ kind: 'pipeline', action: 'create' }]);
    expect((await apply([entry([AGENT])])).data).toMatchObject([{ action: 'unchanged' }]);
    expect((await apply([entry([PATCH])])).data).toMatchObject([{ action: 'update', changed: ['blocks'] }]);
    await expect(apply([entry([gate(JWT)])])).rejects.toMatchObject({
      code: 'credential_in_text',
      issues: [{ path: 'entries[0].input.blocks.0.command' }],
    });
    expect((await apply([], { prune: true })).data).toMatchObject([{ action: 'remove', name: 'p' }]);
    expect((await caller.call(listPipelines, {})).data).toEqual([]);
  });
});

it('DI-052 DI-112: a pipeline is validated without a control plane, as registering it would', () => {
  expect(validatePipeline({ name: 'p', blocks: [AGENT, PATCH] })).toMatchObject({ ok: true });
  expect(validatePipeline({ name: 'p', blocks: [], more: 1 }).issues).toHaveLength(2);
  expect(validatePipeline({ name: 'p', blocks: [gate(JWT)] })).toMatchObject({
    ok: false,
    issues: [{ message: expect.stringContaining('jwt') }],
  });
});
