import {
  AgentDefinition,
  type AgentInput,
  canonicalHash,
  getAgent,
  listAgents,
  listStaleAgents,
  rebindAgent,
  registerAgent,
  registerCapability,
  registerEnvironment,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { openRegistry, type TestRegistry } from '../../../test/open-registry.ts';

const COMMAND: AgentInput['run'] = { harness: 'command', command: 'make check' };
const JWT = ['ey', 'JhbGciOiJIUzI1NiJ9.ey', 'JzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N'].join('');
const registerSkill = async ({ caller }: TestRegistry, name: string, text: string) => {
  const files = [{ path: 'SKILL.md', base64: Buffer.from(text).toString('base64') }];
  return (await caller.call(registerCapability, { name, files })).hash;
};

eachDatabase('agents', (open) => {
  it('DI-043: the definition is stored as canonical JSON under its own hash, optional members only when set', async () => {
    const { caller, registry, blobs } = await openRegistry(open);
    const { hash } = await caller.call(registerAgent, { name: 'plain', run: COMMAND });
    const { definition } = await registry.resolveAgent('plain');
    expect(definition).toEqual({
      schema_version: 1,
      name: 'plain',
      system_prompt: null,
      prompt_template: null,
      model: null,
      run: COMMAND,
      capabilities: [],
    });
    expect(canonicalHash(definition)).toBe(hash);
    expect(AgentDefinition.parse(JSON.parse((await blobs.get(hash)).toString()))).toEqual(definition);
    await expect(registry.resolveAgent('none')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('DI-043: what no program can be given is refused when it is registered, not when it starts', async () => {
    const { caller } = await openRegistry(open);
    const bad = 'a\u0000b';
    for (const more of [
      { model: bad },
      { run: { ...COMMAND, command: ['sh', bad] } },
      { context_requires: [{ kind: 'exec' as const, bin: bad }] },
    ])
      await expect(caller.call(registerAgent, { name: 'x', run: COMMAND, ...more })).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining('must not contain NUL'),
      });
  });

  it('DI-043: capabilities are frozen to their present content, in the order given', async () => {
    const room = await openRegistry(open);
    const [b, a] = [await registerSkill(room, 'b', 'B1'), await registerSkill(room, 'a', 'A1')];
    await room.caller.call(registerAgent, { name: 'x', run: COMMAND, capabilities: ['b', 'a'] });
    expect((await room.registry.resolveAgent('x')).definition.capabilities).toEqual([
      { name: 'b', hash: b },
      { name: 'a', hash: a },
    ]);
    const unknown = { name: 'x', run: COMMAND, capabilities: ['a', 'none', 'neither'] };
    await expect(room.caller.call(registerAgent, unknown)).rejects.toMatchObject({
      code: 'not_found',
      issues: [{ message: 'no capability none' }, { message: 'no capability neither' }],
    });
    const twice = { name: 'x', run: COMMAND, capabilities: ['a', 'a'] };
    await expect(room.caller.call(registerAgent, twice)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('DI-040: every revision stays addressable for ever, and no name can pass for an address', async () => {
    const room = await openRegistry(open);
    const { caller, registry } = room;
    const old = await registerSkill(room, 'skill', 'old');
    const first = await caller.call(registerAgent, { name: 'x', run: COMMAND, capabilities: ['skill'] });
    const env = await caller.call(registerEnvironment, { name: 'e', values: { A: '1' } });
    const latest = await registerSkill(room, 'skill', 'new');
    await caller.call(registerAgent, { name: 'x', run: COMMAND, model: 'other' });
    await caller.call(registerEnvironment, { name: 'e', values: { A: '2' } });
    expect((await registry.resolveAgent(first.hash)).definition).toMatchObject({ name: 'x', model: null });
    expect((await registry.resolveAgent('x')).definition.model).toBe('other');
    expect((await registry.resolveEnvironment(env.hash)).definition.values).toEqual({ A: '1' });
    expect(await registry.resolveCapability(old)).toEqual({ name: 'skill', hash: old });
    // An agent can be bound to an old revision on purpose; that it is old is told.
    await caller.call(registerAgent, { name: 'y', run: COMMAND, capabilities: [old] });
    expect((await registry.resolveAgent('y')).definition.capabilities).toEqual([
      { name: 'skill', hash: old },
    ]);
    expect((await caller.call(listStaleAgents, { name: 'y' })).data).toMatchObject([{ bound: old, latest }]);
    const twice = { name: 'z', run: COMMAND, capabilities: [old, 'skill'] };
    await expect(caller.call(registerAgent, twice)).rejects.toMatchObject({ code: 'invalid_input' });
    for (const call of [
      caller.call(registerAgent, { name: old, run: COMMAND }),
      caller.call(registerEnvironment, { name: old, values: {} }),
      registerSkill(room, old, 'text'),
    ])
      await expect(call).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(registry.resolveAgent(env.hash)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('DI-044: a newer capability changes no agent; the stale binding is reported and can be renewed', async () => {
    const room = await openRegistry(open);
    const { caller, registry } = room;
    const bound = await registerSkill(room, 'skill', 'old');
    await registerSkill(room, 'steady', 'same');
    const capabilities = ['skill', 'steady'];
    const first = await caller.call(registerAgent, { name: 'x', run: COMMAND, capabilities });
    await caller.call(registerAgent, { name: 'y', run: COMMAND, capabilities: ['steady'] });
    expect(await caller.call(listStaleAgents, {})).toEqual({ data: [] });
    const latest = await registerSkill(room, 'skill', 'new');
    expect((await registry.resolveAgent('x')).hash).toBe(first.hash);
    expect(await caller.call(listStaleAgents, {})).toEqual({
      data: [{ agent: 'x', agent_hash: first.hash, capability: 'skill', bound, latest }],
    });
    const rebound = await caller.call(rebindAgent, { name: 'x' });
    expect(rebound).toMatchObject({ revision: 2, created: true });
    expect((await registry.resolveAgent('x')).definition.capabilities[0]).toEqual({
      name: 'skill',
      hash: latest,
    });
    expect(await caller.call(listStaleAgents, { name: 'x' })).toEqual({ data: [] });
    expect(await caller.call(rebindAgent, { name: 'x' })).toEqual({ ...rebound, created: false });
    await expect(caller.call(rebindAgent, { name: 'none' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('a repeated call with its key gets the first answer even when its capabilities have changed since', async () => {
    const room = await openRegistry(open);
    await registerSkill(room, 'skill', 'old');
    const input = { name: 'x', run: COMMAND, capabilities: ['skill'] };
    const first = await room.caller.call(registerAgent, input, { idempotencyKey: 'k' });
    await registerSkill(room, 'skill', 'new');
    expect(await room.caller.call(registerAgent, input, { idempotencyKey: 'k' })).toEqual(first);
  });

  it('DI-048: every text of an agent is scanned, and the place is named', async () => {
    const { caller } = await openRegistry(open);
    const cases: [string, Partial<AgentInput>][] = [
      ['agent:x:system_prompt', { system_prompt: JWT }],
      ['agent:x:prompt_template', { prompt_template: `a\n${JWT}` }],
      ['agent:x:run:command', { run: { harness: 'command', command: `curl -H ${JWT}` } }],
      ['agent:x:run:command:1', { run: { harness: 'command', command: ['curl', JWT] } }],
      [
        'agent:x:run:steps:0:text',
        { run: { harness: 'scripted', steps: [{ do: 'write', path: 'a', text: JWT }] } },
      ],
      ['agent:x:verify:command', { verify: { command: JWT } }],
      ['agent:x:pipeline:0:command', { pipeline: [{ kind: 'script', command: JWT }] }],
    ];
    for (const [place, part] of cases) {
      const input = { name: 'x', run: COMMAND, ...part };
      await expect(caller.call(registerAgent, input), place).rejects.toMatchObject({
        code: 'credential_in_text',
        issues: [{ path: place, message: 'jwt' }],
      });
      await caller.call(registerAgent, { ...input, allow_credential_patterns: ['jwt'] });
    }
  });

  it('DI-045: counts below 1 and unknown fields are malformed, not permissive', async () => {
    const { caller } = await openRegistry(open);
    const wrong: unknown[] = [
      { name: 'x', run: COMMAND, context_requires: [{ kind: 'paths', glob: '*', min_count: 0 }] },
      // These no workspace could ever meet.
      { name: 'x', run: COMMAND, context_requires: [{ kind: 'paths', glob: '/etc/*' }] },
      { name: 'x', run: COMMAND, context_requires: [{ kind: 'paths', glob: '../*' }] },
      { name: 'x', run: COMMAND, context_requires: [{ kind: 'paths', glob: 'a//b' }] },
      { name: 'x', run: COMMAND, context_requires: [{ kind: 'exec', bin: '/bin/sh' }] },
      { name: 'x', run: COMMAND, context_requires: [{ kind: 'git', needs: 'remote' }] },
      { name: 'x', run: COMMAND, unknown: 1 },
      { name: 'x', run: { harness: 'none' } },
      { name: '../x', run: COMMAND },
    ];
    for (const input of wrong)
      await expect(caller.call(registerAgent, input as AgentInput)).rejects.toMatchObject({
        code: 'invalid_input',
      });
  });

  it('DI-049: catalogue reads show no prompt', async () => {
    const { caller } = await openRegistry(open);
    const prompt = 'the prompt of the agent';
    await caller.call(registerAgent, { name: 'x', run: COMMAND, system_prompt: prompt });
    const shown = [await caller.call(listAgents, {}), await caller.call(getAgent, { name: 'x' })];
    expect(JSON.stringify(shown)).not.toContain(prompt);
  });

  it('a definition that was damaged in the store is refused', async () => {
    const { caller, registry, blobs, database } = await openRegistry(open);
    const { hash } = await caller.call(registerAgent, { name: 'x', run: COMMAND });
    const other = await blobs.put(Buffer.from('{"schema_version":2}'));
    await database.write((tx) => tx.sql.run('UPDATE kernel_revisions SET hash = ?', [other.hash]));
    await expect(registry.resolveAgent('x')).rejects.toMatchObject({ code: 'integrity_mismatch' });
    expect(hash).not.toBe(other.hash);
  });
});
