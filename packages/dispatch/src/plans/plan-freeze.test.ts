import {
  type AgentDefinition,
  canonicalHash,
  type ModelEndpointDefinition,
  PalisadeError,
  Plan,
} from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { OWN_SHAPES, ShapeCatalogue } from '../shapes/shape-catalogue.ts';
import type { FrozenPlan } from './frozen-plan.ts';
import { freezePlan } from './plan-freeze.ts';
import { validatePlanShape } from './plan-validate.ts';

const endpoint = (name: string, change: Partial<ModelEndpointDefinition> = {}): ModelEndpointDefinition => ({
  schema_version: 1,
  name,
  kind: 'anthropic',
  url: 'https://models.example',
  secret: 'secret:key',
  credential: 'api-key',
  ...change,
});
const endpoints = [endpoint('house', { default_model: 'house-1' }), endpoint('other', { kind: 'openai' })];
const agents: readonly AgentDefinition[] = [
  {
    schema_version: 1,
    name: 'coder',
    system_prompt: null,
    prompt_template: null,
    model: 'agent-1',
    run: { harness: 'claude-code', model_endpoint: 'house' },
    capabilities: [],
  },
  {
    schema_version: 1,
    name: 'patcher',
    system_prompt: null,
    prompt_template: null,
    model: null,
    run: { harness: 'claude-code' },
    capabilities: [],
    pipeline: [{ kind: 'agent' }, { kind: 'capture', what: 'patch' }],
  },
];

function find<T extends { readonly name: string }>(
  all: readonly T[],
  name: string,
): Promise<{ hash: never; definition: T }> {
  const definition = all.find((each) => each.name === name);
  if (definition === undefined) throw new PalisadeError('not_found', `there is no ${name}`);
  return Promise.resolve({ hash: canonicalHash(definition) as never, definition });
}

const freeze = (items: readonly object[], shapes = OWN_SHAPES): Promise<FrozenPlan> =>
  freezePlan(
    Plan.parse({ items }),
    {
      agent: async (name) => find(agents, name),
      capability: async (name) => ({ name, ...(await find([], name)) }),
      environment: async (name) => find([], name),
      modelEndpoint: async (name) => find(endpoints, name),
      pipeline: async (name) => find([], name),
    },
    {
      sandbox: { name: 'process', isolation: 'unsandboxed-host' },
      allowNetwork: false,
      executors: new Set(['local']),
      shapes,
      isQueue: async () => true,
      title: 't',
    },
  );
const claude = (more: object = {}) => ({ harness: 'claude-code', model_endpoint: 'house', ...more });

describe('structured results', () => {
  const catalogue = ShapeCatalogue.of([
    [
      {
        id: 'house.score',
        effect: 'read-impure',
        permissions: { network: true, model: true, patch: true, outputs: true },
        result: { type: 'object' },
      },
    ],
  ]);
  const shape = 'house.score';
  const pipeline = [{ kind: 'agent' }, { kind: 'capture', what: 'patch' }];
  const message = 'house.score has to leave result.json: its pipeline captures no outputs';

  it('DI-163 DI-193: a pipeline that can never leave one is refused where it stands, and an own one of the agent', async () => {
    const shapes = await catalogue;
    const work = { command: 'true', shape, inputs: { pipeline } };
    const items = [
      { id: 'a', ...work },
      { id: 'b', command: 'true', inputs: { mapReduce: { map: work } } },
    ];
    expect(validatePlanShape({ items }, shapes).issues).toEqual([
      { path: 'items[0].inputs.pipeline', message },
      { path: 'items[1].inputs.mapReduce.map.inputs.pipeline', message },
    ]);
    await expect(freeze([{ id: 'a', agent: 'patcher', shape }], shapes)).rejects.toMatchObject({
      issues: [{ path: 'items[0].shape', message }],
    });
    const both = { pipeline: [...pipeline, { kind: 'capture', what: 'outputs' }] };
    const fits = [
      { id: 'a', agent: 'patcher', shape, inputs: both },
      { id: 'b', agent: 'coder', shape },
    ];
    expect(validatePlanShape({ items: fits }, shapes).ok).toBe(true);
    expect((await freeze(fits, shapes)).items).toHaveLength(2);
  });
});

describe('model endpoints', () => {
  it('DI-040, DI-163: a name is frozen to its definition, of an agent in place and of a registered one', async () => {
    const { items } = await freeze([
      { id: 'in-place', run: claude() },
      { id: 'registered', agent: 'coder' },
      { id: 'without', run: { harness: 'claude-code' } },
    ]);
    const [house] = endpoints;
    expect(items.map((item) => item.modelEndpoint)).toEqual([
      { name: 'house', hash: canonicalHash(house), definition: house },
      { name: 'house', hash: canonicalHash(house), definition: house },
      undefined,
    ]);
  });

  it('DI-163: unknown names and endpoints of another wire are reported together, each with its place', async () => {
    const refused = freeze([
      { id: 'a', run: claude({ model_endpoint: 'nobody' }) },
      { id: 'b', run: claude({ model_endpoint: 'other' }) },
      { id: 'c', run: { harness: 'codex', model_endpoint: 'house' } },
    ]);
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_plan',
      issues: [
        { path: 'items[0].model_endpoint', message: 'there is no nobody' },
        {
          path: 'items[1].model_endpoint',
          message: 'the harness claude-code speaks anthropic, the model endpoint other is openai',
        },
        {
          path: 'items[2].model_endpoint',
          message: 'the harness codex speaks openai, the model endpoint house is anthropic',
        },
      ],
    });
  });

  it('DI-062: the item decides the model, then the agent, then the endpoint; the empty string decides nothing', async () => {
    const { items } = await freeze([
      { id: 'item', agent: 'coder', model: 'item-1' },
      { id: 'agent', agent: 'coder' },
      { id: 'empty', agent: 'coder', model: '' },
      { id: 'endpoint', run: claude() },
      { id: 'nobody', run: { harness: 'claude-code' }, model: '' },
    ]);
    expect(items.map(({ model }) => model)).toEqual(['item-1', 'agent-1', 'agent-1', 'house-1', null]);
  });
});

describe('growth', () => {
  const fix = { agent: 'coder', sandbox: { memory_mb: 64 } };
  const gate = { onRed: 'spawn-fix', subject: 'a', fixTemplate: fix };

  it('DI-200: templates are resolved when the plan is, and their agents are part of it', async () => {
    const { items, agents: known } = await freeze([
      { id: 'a', command: 'true' },
      { id: 'g', command: 'true', depends_on: ['a'], inputs: { gate } },
      {
        id: 'w',
        command: 'true',
        depends_on: ['a', 'g'],
        start_when: 'dependencies_ended',
        inputs: { spawn: { from: 'l', template: { command: 'ls' } } },
      },
    ]);
    const [, gated, last] = items;
    expect(gated?.growth).toMatchObject({
      kind: 'gate',
      subject: 'a',
      maxFixAttempts: 1,
      fix: {
        title: '',
        model: 'agent-1',
        modelEndpoint: { name: 'house' },
        sandbox: { memory_bytes: 64 * 1024 * 1024 },
      },
    });
    expect(last).toMatchObject({
      atLeastDone: 0,
      growth: { kind: 'spawn', max: 20, template: { agent: { name: 'w:spawned' } } },
    });
    const coder = agents.find(({ name }) => name === 'coder');
    expect(Object.keys(known)).toContain(canonicalHash(coder));
    expect(
      Object.values(known)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['a', 'coder', 'g', 'w', 'w:spawned']);
  });

  it('DI-202: with several splitters what they make is named after them', async () => {
    const splitter = (id: string) => ({
      id,
      command: 'true',
      inputs: { mapReduce: { map: { command: 'true' } } },
    });
    const prefixes = (frozen: FrozenPlan) =>
      frozen.items.map(({ growth }) => growth?.kind === 'map-reduce' && growth.isPrefixed);
    expect(prefixes(await freeze([splitter('s')]))).toEqual([undefined]);
    expect(prefixes(await freeze([splitter('s'), splitter('t')]))).toEqual([true, true]);
  });

  it("DI-163, DI-193: what a template asks for is held against the operator's ceiling and its shape, with its place", async () => {
    const refused = freeze([
      {
        id: 'a',
        command: 'true',
        inputs: {
          quorum: {
            reviewers: [{ agent: 'nobody' }, { command: 'true', executor: 'mars' }],
            threshold: 1,
            commit: { command: 'true', sandbox: { network: true } },
          },
        },
      },
      { id: 'pure', agent: 'coder', shape: 'data.split' },
    ]);
    await expect(refused).rejects.toMatchObject({
      issues: [
        { path: 'items[0].inputs.quorum.reviewers[0].agent', message: 'there is no nobody' },
        { path: 'items[0].inputs.quorum.reviewers[1].executor', message: 'unknown executor "mars"' },
        { path: 'items[0].inputs.quorum.commit.sandbox.network' },
        {
          path: 'items[1].shape',
          message: 'data.split is pure, and the harness claude-code asks a model',
        },
      ],
    });
  });
});
