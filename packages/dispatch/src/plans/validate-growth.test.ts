import { describe, expect, it } from 'vitest';
import { OWN_SHAPES } from '../shapes/shape-catalogue.ts';
import { validatePlanShape } from './plan-validate.ts';

const issues = (...items: object[]): string[] =>
  validatePlanShape({ items }, OWN_SHAPES).issues.map((issue) => `${issue.path}: ${issue.message}`);
const item = (id: string, more: object = {}) => ({ id, command: 'true', ...more });
const work = { command: 'true' };
const noPatch = { pipeline: [{ kind: 'agent' }, { kind: 'capture', what: 'outputs' }] };
const noOutputs = { pipeline: [{ kind: 'agent' }, { kind: 'capture', what: 'patch' }] };
const gate = { onRed: 'spawn-fix', subject: 'a', fixTemplate: work };

describe('validation of growth', () => {
  it('DI-162, DI-201: a gate names an upstream subject with a patch and can be red, or it is refused', () => {
    const gated = (change: object, first: object = {}) =>
      issues(
        item('a', first),
        item('b', { depends_on: ['a'] }),
        item('g', { depends_on: ['b'], inputs: { gate: { ...gate, ...change } } }),
      );
    expect(gated({})).toEqual([]);
    expect(gated({ subject: 'ab' })).toEqual([
      'items[2].inputs.gate.subject: unknown item "ab" (did you mean "a"?)',
    ]);
    expect(gated({ subject: 'g' })).toEqual([
      'items[2].inputs.gate.subject: "g" does not wait for "g", so it says nothing about it',
    ]);
    expect(gated({ subject: undefined })).toEqual([
      'items[2].inputs.gate: names no subject: a fix needs the item whose patch it builds on',
    ]);
    expect(gated({}, { inputs: noPatch })).toEqual([
      'items[2].inputs.gate.subject: "a" leaves no patch that a fix could build on',
    ]);
    expect(gated({ onRed: 'advance' })).toHaveLength(2);
    expect(
      gated({
        fixTemplate: {
          ...work,
          inputs: { ...noPatch, workerInput: 'text', inputRefs: { work: `sha256:${'0'.repeat(64)}` } },
        },
      }),
    ).toEqual([
      'items[2].inputs.gate.fixTemplate.inputs.inputRefs.work: "work" is what the rule gives it',
      'items[2].inputs.gate.fixTemplate.inputs.workerInput: has to be an object: the reason for the fix is put into it',
      'items[2].inputs.gate.fixTemplate: leaves no patch: nothing would be fixed',
    ]);
    const never = { gate: { onRed: 'spawn-fix' }, pipeline: [{ kind: 'capture', what: 'patch' }] };
    expect(issues(item('g', { inputs: never }))).toEqual([
      'items[0].inputs.gate: the pipeline runs nothing: this gate can never be red',
    ]);
  });

  it('DI-162: templates are items without a place in the graph; anything else in them is refused', () => {
    for (const key of ['id', 'depends_on', 'needs', 'start_when', 'image', 'secrets'])
      expect(issues(item('a', { inputs: { mapReduce: { map: { ...work, [key]: 'x' } } } }))).toEqual([
        expect.stringContaining(`items[0].inputs.mapReduce.map: Unrecognized key: "${key}"`),
      ]);
    for (const key of ['gate', 'quorum', 'spawn', 'mapReduce'])
      expect(
        issues(item('a', { inputs: { spawn: { from: 'l', template: { ...work, inputs: { [key]: {} } } } } })),
      ).toEqual([
        expect.stringContaining(`items[0].inputs.spawn.template.inputs: Unrecognized key: "${key}"`),
      ]);
    expect(
      issues(
        item('a', { inputs: { spawn: { from: '../l', template: { agent: 'x', command: 'y' }, join: {} } } }),
      ),
    ).toEqual([
      expect.stringContaining('items[0].inputs.spawn.from: '),
      'items[0].inputs.spawn.template: gives command and agent: only one may say what to run',
      'items[0].inputs.spawn.join: says nothing to run: give one of command, run, agent or inputs.subagent',
    ]);
    expect(
      issues(item('a', { inputs: { gate: { onRed: 'advance' }, spawn: { from: 'l', template: work } } })),
    ).toEqual(['items[0].inputs: gives gate and spawn: an item grows by one rule']);
  });

  it('DI-202, DI-203: thresholds can be reached, and policies have something to say', () => {
    expect(
      issues(item('q', { inputs: { quorum: { reviewers: [work, work], threshold: 3, fixTemplate: work } } })),
    ).toEqual([
      'items[0].inputs.quorum.threshold: 3 approvals can never come of 2 reviewers',
      'items[0].inputs.quorum.fixTemplate: nothing is made of it where onReject is not spawn-fix',
    ]);
    expect(
      issues(
        item('q', {
          inputs: { ...noPatch, quorum: { reviewers: [work], threshold: 1, onReject: 'spawn-fix' } },
        }),
      ),
    ).toEqual([
      'items[0].inputs.quorum: "q" leaves no patch that could be reviewed',
      'items[0].inputs.quorum: onReject is spawn-fix and there is no fixTemplate',
    ]);
    expect(
      issues(
        item('s', {
          inputs: {
            ...noOutputs,
            mapReduce: { map: { ...work, inputs: noOutputs }, reduce: work, minDone: 1, onFailure: 'fail' },
          },
        }),
      ),
    ).toEqual([
      'items[0].inputs.mapReduce: "s" leaves no outputs that items could be made of',
      'items[0].inputs.mapReduce.map: leaves no outputs, which the reduction needs',
      'items[0].inputs.mapReduce: minDone and onFailure say the same: give one of them',
    ]);
    expect(issues(item('s', { inputs: { mapReduce: { map: work, minDone: 1 } } }))).toEqual([
      'items[0].inputs.mapReduce.minDone: says nothing without a reduction',
    ]);
  });

  it('DI-201: a pipeline chains what waits for nothing', () => {
    const plan = {
      pattern: 'pipeline',
      items: [item('a'), item('b'), item('c', { depends_on: ['a'] }), item('d', { depends_on: [] })],
    };
    const checked = validatePlanShape(plan, OWN_SHAPES);
    expect(checked.ok && checked.plan.items.map(({ depends_on: after }) => after)).toEqual([
      undefined,
      ['a'],
      ['a'],
      ['c'],
    ]);
    const circle = validatePlanShape(
      { pattern: 'pipeline', items: [item('a', { depends_on: ['b'] }), item('b')] },
      OWN_SHAPES,
    );
    expect(circle.issues[0]?.message).toContain('cycle');
  });

  it('DI-204: max_items has room for the plan, and at_least_done for what is waited for', () => {
    const plan = {
      max_items: 1,
      items: [
        item('a'),
        item('b', { depends_on: ['a'], start_when: 'dependencies_ended', at_least_done: 2 }),
        item('c', { at_least_done: 0 }),
      ],
    };
    expect(validatePlanShape(plan, OWN_SHAPES).issues.map(({ path }) => path)).toEqual([
      'items[1].at_least_done',
      'items[2].at_least_done',
      'max_items',
    ]);
  });

  it('DI-163, DI-193: unknown shapes, kinds of data that do not fit, and wishes above a shape are refused', () => {
    const need = (from: string, path?: string) => ({
      in: { from, select: path === undefined ? { kind: 'patch' } : { kind: 'output', path } },
    });
    expect(issues(item('a', { shape: 'data.spit' }), item('b', { shape: 'x.y' }))).toEqual([
      'items[0].shape: unknown shape "data.spit" (did you mean "data.split"?)',
      'items[1].shape: unknown shape "x.y": there are dev.code-edit, dev.verify, data.split, data.transform, data.aggregate',
    ]);
    expect(
      issues(
        item('s', { shape: 'data.split' }),
        item('agg', { shape: 'data.aggregate', needs: need('s', 'x'), sandbox: { network: true } }),
        item('e', { needs: need('s') }),
        item('undeclared', { needs: need('s', 'x') }),
      ),
    ).toEqual([
      'items[1].sandbox.network: data.aggregate is pure: it gets no network',
      'items[1].needs.in: data.split leaves part, and data.aggregate takes result',
      'items[2].needs.in.select: item "s" leaves no patch: its pipeline or its shape captures none',
    ]);
    const mapReduce = { map: { ...work, shape: 'dev.verify' }, reduce: { ...work, shape: 'data.aggregate' } };
    expect(issues(item('s', { shape: 'data.split', inputs: { mapReduce } }))).toEqual([
      'items[0].inputs.mapReduce.map.shape: data.split leaves part, and dev.verify takes patch',
      'items[0].inputs.mapReduce.reduce.shape: dev.verify leaves findings, and data.aggregate takes result',
    ]);
  });
});
