import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { HarnessChoice } from '../agent.ts';
import type { Harness, HarnessContext, HarnessEvent, HarnessResult } from '../harness.ts';
import type { SandboxProvider } from '../sandbox.ts';
import { livingWith } from './living-processes.ts';
import { type Bench, PLAIN_ENV, sleepToken, withSandbox } from './sandbox-bench.ts';
import type { TestTools } from './test-tools.ts';

/** Settings that make a harness behave in the ways the suite observes. A harness with a thinking program scripts that program. */
export interface HarnessBehaviours {
  /** Writes `made.txt` with the text `made` and a line feed, shows `shown` on stdout or as a message, ends well. */
  readonly works: HarnessChoice;
  /** Ends with exit status 3. */
  readonly fails: HarnessChoice;
  /** Shows the value of the variable `CONFORMANCE_VALUE`. */
  readonly showsValue: HarnessChoice;
  /**
   * Shows `ready` and then never ends by itself, ignores SIGTERM, and has a child that left its session.
   *
   * @param token a number of seconds every process of it sleeps, by which the suite finds them
   */
  readonly hangs: (token: string) => HarnessChoice;
}

/** Longer than any ending may take beyond its time on a busy machine. */
const PROMPT_MS = 10_000;

interface Observed {
  readonly result: HarnessResult;
  readonly shown: string;
  /** Events that came after the end. */
  readonly late: number;
}

/**
 * Every promise of the harness seam (DI-135), as tests against a real harness in a real sandbox. Call it
 * at the top level of a test file with the runner's own functions:
 *
 *     harnessConformance(myHarness, behaviours, provider, { describe, it, expect });
 */
export function harnessConformance(
  harness: Harness,
  behaviours: HarnessBehaviours,
  provider: SandboxProvider,
  { describe, it, expect }: TestTools,
): void {
  const inSandbox = (test: (bench: Bench) => Promise<void>): Promise<void> => withSandbox(provider, test);

  describe(`harness conformance: ${harness.name} in ${provider.name}`, () => {
    it('works through the sandbox: files are the sandbox user’s, output is seen before the end', () =>
      inSandbox(async (bench) => {
        const { result, shown, late } = await observe(harness, bench, { settings: behaviours.works });
        expect([result.outcome, result.exitCode]).toEqual(['exited', 0]);
        expect(shown).toContain('shown');
        expect(late).toBe(0);
        const made = join(bench.workspaceDir, 'made.txt');
        expect(readFileSync(made, 'utf8')).toBe('made\n');
        expect(statSync(made).uid).toBe(bench.sandbox.uid ?? process.getuid?.());
      }));

    it('a failing agent is a result with its status, not a rejection', () =>
      inSandbox(async (bench) => {
        const { result } = await observe(harness, bench, { settings: behaviours.fails });
        expect([result.outcome, result.exitCode]).toEqual(['exited', 3]);
      }));

    it('DI-110: the program has the environment it was given', () =>
      inSandbox(async (bench) => {
        const { shown } = await observe(harness, bench, {
          settings: behaviours.showsValue,
          env: { ...PLAIN_ENV, CONFORMANCE_VALUE: 'value 4711' },
        });
        expect(shown).toContain('value 4711');
      }));

    it('DI-132, EX-202: neither prompt nor environment values are in a command line', () =>
      inSandbox(async (bench) => {
        const canary = `canary-${sleepToken()}`;
        const seen: number[] = [];
        const stop = new AbortController();
        await observe(harness, bench, {
          settings: behaviours.hangs(sleepToken()),
          prompt: `the prompt ${canary}`,
          systemPrompt: `the system prompt ${canary}`,
          env: { ...PLAIN_ENV, CONFORMANCE_VALUE: canary },
          signal: stop.signal,
          onShown: (shown) => {
            if (!shown.includes('ready') || stop.signal.aborted) return;
            seen.push(...livingWith(canary).map(() => 1), 0);
            stop.abort();
          },
        });
        expect(seen).toEqual([0]);
      }));

    it('FF-063: when its time is up everything ends, also what ignores SIGTERM and left its session', () =>
      inSandbox(async (bench) => {
        const token = sleepToken();
        const startedAt = performance.now();
        const { result } = await observe(harness, bench, {
          settings: behaviours.hangs(token),
          timeoutMs: 2_500,
        });
        expect(result.outcome).toBe('timed_out');
        expect(performance.now() - startedAt).toBeLessThan(2_500 + PROMPT_MS);
        expect(livingWith(token)).toEqual([]);
      }));

    it('a cancel ends everything in the same way', () =>
      inSandbox(async (bench) => {
        const token = sleepToken();
        const stop = new AbortController();
        const { result } = await observe(harness, bench, {
          settings: behaviours.hangs(token),
          signal: stop.signal,
          onShown: (shown) => {
            if (shown.includes('ready')) stop.abort();
          },
        });
        expect(result.outcome).toBe('canceled');
        expect(livingWith(token)).toEqual([]);
      }));

    it('an attempt canceled before it starts does nothing', () =>
      inSandbox(async (bench) => {
        const { result } = await observe(harness, bench, {
          settings: behaviours.works,
          signal: AbortSignal.abort(),
        });
        expect(result.outcome).toBe('canceled');
        expect(existsSync(join(bench.workspaceDir, 'made.txt'))).toBe(false);
      }));

    it('a sandbox that starts nothing is a result, not a rejection', () =>
      inSandbox(async (bench) => {
        await bench.sandbox.destroy();
        const { result } = await observe(harness, bench, { settings: behaviours.works });
        expect(result.outcome).toBe('start_failed');
        expect(result.exitCode).toBe(null);
      }));
  });
}

type Changes = Partial<Omit<HarnessContext, 'settings' | 'sandbox' | 'workspaceDir' | 'emit'>> & {
  readonly settings: HarnessChoice;
  readonly onShown?: (shown: string) => void;
};

async function observe(harness: Harness, bench: Bench, changes: Changes): Promise<Observed> {
  const { onShown, ...context } = changes;
  let shown = '';
  let late = 0;
  let isOver = false;
  const emit = (event: HarnessEvent): void => {
    if (isOver) late++;
    if (event.kind === 'output') shown += Buffer.from(event.bytes).toString('utf8');
    else if (event.kind === 'message') shown += `${event.text}\n`;
    onShown?.(shown);
  };
  const result = await harness.run({
    systemPrompt: null,
    prompt: null,
    model: null,
    env: PLAIN_ENV,
    timeoutMs: 30_000,
    graceMs: 300,
    signal: new AbortController().signal,
    ...context,
    workspaceDir: bench.sandbox.workspacePath,
    sandbox: bench.sandbox,
    emit,
  });
  isOver = true;
  await new Promise((resolve) => setTimeout(resolve, 50));
  return { result, shown, late };
}
