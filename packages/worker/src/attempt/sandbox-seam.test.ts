import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AttemptResult,
  type ExecResult,
  type ExecSpec,
  PalisadeError,
  type PipelineBlock,
  type Sandbox,
  type SandboxProvider,
} from '@palisade/contracts';
import { processSandboxes } from '@palisade/sandbox-process';
import { describe, expect, test } from 'vitest';
import { attemptDir, makeSpec, type SpecChanges } from '../../test/attempt-fixture.ts';
import { runAttempt } from './attempt.ts';

type Exec = (spec: ExecSpec, real: () => Promise<ExecResult>) => Promise<ExecResult>;

/** The process sandbox behind an engine that answers in its own way, as a container engine's client may. */
function engine(exec: Exec, change: Partial<SandboxProvider> & { destroy?: () => Promise<void> } = {}) {
  const real = processSandboxes();
  const { destroy, ...provider } = change;
  return {
    ...real,
    name: 'engine',
    probe: () => real.probe(),
    reap: (attemptId: string, stateDir: string) => real.reap(attemptId, stateDir),
    allocate: async (spec) => {
      const inner = await real.allocate(spec);
      const sandbox: Sandbox = {
        posture: inner.posture,
        workspacePath: inner.workspacePath,
        uid: inner.uid,
        exec: (execSpec) => exec(execSpec, () => inner.exec(execSpec)),
        destroy: destroy ?? (() => inner.destroy()),
      };
      return sandbox;
    },
    ...provider,
  } satisfies SandboxProvider;
}

async function run(
  sandbox: SandboxProvider,
  changes: SpecChanges,
): Promise<{ dir: string; result: AttemptResult }> {
  const dir = attemptDir(makeSpec({ ...changes, sandbox: { provider: 'engine' } }));
  return { dir, result: await runAttempt({ attemptDir: dir, sandboxes: [sandbox], secrets: {} }) };
}

const command = (text: string): SpecChanges => ({ agent: { run: { harness: 'command', command: text } } });
const holds = (spec: ExecSpec, marker: string) => spec.argv.some((word) => word.includes(marker));
/** Answers of an engine that lost the status of the program with this marker. */
const without =
  (marker: string): Exec =>
  async (spec, real) =>
    holds(spec, marker) ? { ...(await real()), outcome: 'exited', exitCode: null } : real();
const faithful: Exec = (_spec, real) => real();

describe('the status of a program', () => {
  test('FF-064: is asked for: a failing command fails, and one whose status was lost is unknown with the reason', async () => {
    const failing = await run(engine(faithful), command('exit 1'));
    expect(failing.result).toMatchObject({ outcome: 'failed', exit_code: 1, retryable: true });
    expect(failing.result.code).toBeUndefined();
    const lost = await run(engine(without('marker')), command('true # marker'));
    expect(lost.result).toMatchObject({ outcome: 'failed', code: 'provider_failed', retryable: true });
    expect(lost.result.reason).toBe('the agent ended without a status');
    expect(lost.result.exit_code).toBeUndefined();
  });

  test.each<[string, SpecChanges, string | undefined]>([
    [
      'a gate',
      { pipeline: [{ kind: 'agent' }, { kind: 'script', command: 'true # marker' }] },
      'provider_failed',
    ],
    [
      'a requirement',
      { agent: { context_requires: [{ kind: 'exec', bin: 'marker' }] } },
      'requirements_unmet',
    ],
    ['a self-check', { verify: { command: 'true # marker' } }, undefined],
  ])('FF-064: the lost status of %s is no success', async (_what, changes, code) => {
    const { result } = await run(engine(without('marker')), changes);
    expect(result.code).toBe(code);
    if (code === undefined) {
      expect(result.product.verify).toMatchObject({ passed: false });
      expect(result.product.verify?.report).toContain('ended without a status');
    } else expect(result.outcome).toBe('failed');
  });
});

describe('a provider that breaks', () => {
  test('DI-150 DI-077 FF-129: is told apart from an agent that fails, may be tried again, and its own text is not repeated', async () => {
    const refusal = () => Promise.reject(Object.assign(new Error('token=hunter2'), { code: 'ECONNRESET' }));
    const none = await run(engine(faithful, { allocate: refusal }), command('true'));
    expect(none.result).toMatchObject({ outcome: 'failed', code: 'provider_failed', retryable: true });
    expect(none.result.reason).toBe('the sandbox engine failed: Error ECONNRESET');
    expect(none.result.exit_code).toBeUndefined();
    const said = new PalisadeError('requirements_unmet', 'there is no network namespace here');
    const own = await run(engine(faithful, { allocate: () => Promise.reject(said) }), command('true'));
    expect(own.result).toMatchObject({ code: 'requirements_unmet', retryable: false, reason: said.message });
    for (const { dir, result } of [none, own])
      expect(JSON.stringify(result) + readFileSync(join(dir, 'output.log'), 'utf8')).not.toContain('hunter2');
  });

  test('DI-150 DI-114: in the middle of the work, costs the attempt and not what the agent had done', async () => {
    const breaks: Exec = async (spec, real) => {
      const result = await real();
      if (holds(spec, 'marker')) throw Object.assign(new Error('secret text'), { code: 'EPIPE' });
      return result;
    };
    const pipeline: PipelineBlock[] = [
      { kind: 'agent' },
      { kind: 'script', command: 'echo never > never.txt' },
      { kind: 'capture', what: 'patch' },
      { kind: 'capture', what: 'outputs' },
    ];
    const work = 'echo half > half.txt; echo out > outputs/report # marker';
    const { dir, result } = await run(engine(breaks), { ...command(work), pipeline });
    expect(result).toMatchObject({ outcome: 'failed', code: 'provider_failed', retryable: true });
    expect(result.reason).toBe('the sandbox engine failed: Error EPIPE');
    expect(readFileSync(join(dir, 'products/patch'), 'utf8')).toContain('+half');
    expect(result.product.outputs).toMatchObject([{ path: 'report' }]);
    expect(result.product.blocks?.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'agent failed',
      'script skipped',
      'capture ok',
      'capture ok',
    ]);
    expect(existsSync(join(dir, 'workspace/never.txt'))).toBe(false);
  });

  test('DI-150: at its end, is told and changes nothing about the attempt', async () => {
    const destroy = () => Promise.reject(new Error('secret text'));
    const { result } = await run(engine(faithful, { destroy }), command('true'));
    expect(result).toMatchObject({ outcome: 'succeeded', exit_code: 0 });
    expect(result.product.warnings?.join()).toContain('the sandbox was not cleaned up');
    expect(JSON.stringify(result)).not.toContain('secret text');
  });
});
