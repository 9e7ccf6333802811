import { describe, expect, it } from 'vitest';
import { defaultPipeline, type PipelineBlock } from './agent.ts';
import { uncountedChecks } from './pipeline-order.ts';

const agent: PipelineBlock = { kind: 'agent' };
const patch: PipelineBlock = { kind: 'capture', what: 'patch' };
const outputs: PipelineBlock = { kind: 'capture', what: 'outputs' };
const gate: PipelineBlock = { kind: 'script', lens: 'gate', command: 'true' };
const verify: PipelineBlock = { kind: 'script', lens: 'verify', command: 'true' };
const places = (...blocks: PipelineBlock[]): string[] => uncountedChecks(blocks).map(({ path }) => path);

describe('FF-143: where a self-check stands', () => {
  it('one before the patch is captured, or before an agent that changes it again, does not count', () => {
    expect(places(agent, verify, patch)).toEqual(['[1]']);
    expect(places(agent, gate, verify, patch, outputs)).toEqual(['[2]']);
    expect(places(agent, patch, verify, agent, patch)).toEqual(['[2]']);
    expect(places(agent, patch, agent, verify, patch, verify)).toEqual(['[3]']);
  });

  it('one about what is captured counts, and so does one where there is no patch', () => {
    expect(places(...defaultPipeline({ command: 'true' }))).toEqual([]);
    expect(places(agent, patch, verify)).toEqual([]);
    expect(places(agent, patch, verify, patch)).toEqual([]);
    expect(places(agent, verify, outputs)).toEqual([]);
    expect(places(verify, patch)).toEqual([]);
    expect(places()).toEqual([]);
  });
});
