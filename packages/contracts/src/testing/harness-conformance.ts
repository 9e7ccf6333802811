import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { HarnessChoice } from '../agent.ts';
import type { Harness, HarnessContext, HarnessEvent, HarnessResult, ModelAccess } from '../harness.ts';
import type { SandboxProvider } from '../sandbox.ts';
import { livingWith } from './living-processes.ts';
import { type Bench, PLAIN_ENV, sleepToken, withSandbox } from './sandbox-bench.ts';
import type { TestTools } from './test-tools.ts';

/** Settings that make a harness behave in the ways the suite observes. A harness with a thinking program scripts that program. */
export interface HarnessBehaviours {
  /** Writes `made.txt` with the text `made` and a line feed, shows `shown` on stdout or as a message, ends well. */
  readonly works: HarnessChoice;
  /** Ends with exit status {@link failsWith}. */
  readonly fails: HarnessChoice;
  /** Default 3, for programs that choose their status. */
  readonly failsWith?: number;
  /** Shows the value of the variable `CONFORMANCE_VALUE`. */
  readonly showsValue: HarnessChoice;
  /**
   * Shows `ready` and then never ends by itself, ignores SIGTERM, and has a child that left its session.
   *
   * @param token a number of seconds every process of it sleeps, by which the suite finds them
   */
  readonly hangs: (token: string) => HarnessChoice;
  /** The model every run asks for; by default none. */
  readonly model?: string;
  /** What the harness has to be given for these settings besides, made anew for every run. */
  readonly equip?: (settings: HarnessChoice) => Promise<Equipment>;
}

/** Surroundings of one run. */
export interface Equipment {
  /** Host paths the sandbox shows, besides those the harness asks for. */
  readonly readOnlyPaths: readonly string[];
  readonly modelAccess: ModelAccess | null;
  readonly dispose: () => Promise<void>;
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
  const inSandbox = async (
    settings: HarnessChoice,
    test: (bench: Equipped) => Promise<void>,
  ): Promise<void> => {
    const equipment = await behaviours.equip?.(settings);
    const needs = await harness.prepare?.({ settings, path: process.env['PATH'] ?? '', hasPrompt: true });
    const readOnlyPaths = [...(needs?.readOnlyPaths ?? []), ...(equipment?.readOnlyPaths ?? [])];
    const model = behaviours.model ?? null;
    const modelAccess = equipment?.modelAccess ?? null;
    try {
      await withSandbox(provider, (bench) => test({ ...bench, settings, model, modelAccess }), {
        readOnlyPaths,
      });
    } finally {
      await equipment?.dispose();
    }
  };
  /** How long the program takes from its start to its end, as seen so far. */
  let usualMs = 0;

  describe(`DI-130 DI-158: harness conformance: ${harness.name} in ${provider.name}`, () => {
    it('works through the sandbox: files are the sandbox user’s, output is seen before the end', () =>
      inSandbox(behaviours.works, async (bench) => {
        const startedAt = performance.now();
        const { result, shown, late } = await observe(harness, bench);
        usualMs = performance.now() - startedAt;
        expect([result.outcome, result.exitCode]).toEqual(['exited', 0]);
        expect(shown).toContain('shown');
        expect(late).toBe(0);
        const made = join(bench.workspaceDir, 'made.txt');
        expect(readFileSync(made, 'utf8')).toBe('made\n');
        expect(statSync(made).uid).toBe(bench.sandbox.uid ?? process.getuid?.());
      }));

    it('a failing agent is a result with its status, not a rejection', () =>
      inSandbox(behaviours.fails, async (bench) => {
        const { result } = await observe(harness, bench);
        expect([result.outcome, result.exitCode]).toEqual(['exited', behaviours.failsWith ?? 3]);
      }));

    it('DI-110: the program has the environment it was given', () =>
      inSandbox(behaviours.showsValue, async (bench) => {
        const { shown } = await observe(harness, bench, {
          env: { ...PLAIN_ENV, CONFORMANCE_VALUE: 'value 4711' },
        });
        expect(shown).toContain('value 4711');
      }));

    it('DI-132, EX-202: neither prompt nor environment values are in a command line', () =>
      inSandbox(behaviours.hangs(sleepToken()), async (bench) => {
        const canary = `canary-${sleepToken()}`;
        const seen: number[] = [];
        const stop = new AbortController();
        await observe(harness, bench, {
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

    it('FF-063: when its time is up everything ends, also what ignores SIGTERM and left its session', () => {
      const token = sleepToken();
      return inSandbox(behaviours.hangs(token), async (bench) => {
        const timeoutMs = 2_500 + usualMs;
        const startedAt = performance.now();
        const { result, shown } = await observe(harness, bench, { timeoutMs });
        expect(shown).toContain('ready');
        expect(result.outcome).toBe('timed_out');
        expect(performance.now() - startedAt).toBeLessThan(timeoutMs + PROMPT_MS);
        expect(livingWith(token)).toEqual([]);
      });
    });

    it('a cancel ends everything in the same way', () => {
      const token = sleepToken();
      return inSandbox(behaviours.hangs(token), async (bench) => {
        const stop = new AbortController();
        const { result } = await observe(harness, bench, {
          signal: stop.signal,
          onShown: (shown) => {
            if (shown.includes('ready')) stop.abort();
          },
        });
        expect(result.outcome).toBe('canceled');
        expect(livingWith(token)).toEqual([]);
      });
    });

    it('an attempt canceled before it starts does nothing', () =>
      inSandbox(behaviours.works, async (bench) => {
        const { result } = await observe(harness, bench, { signal: AbortSignal.abort() });
        expect(result.outcome).toBe('canceled');
        expect(existsSync(join(bench.workspaceDir, 'made.txt'))).toBe(false);
      }));

    it('a sandbox that starts nothing is a result, not a rejection', () =>
      inSandbox(behaviours.works, async (bench) => {
        await bench.sandbox.destroy();
        const { result } = await observe(harness, bench);
        expect(result.outcome).toBe('start_failed');
        expect(result.exitCode).toBe(null);
      }));
  });
}

/** A sandbox with what one run of a harness is given in it. */
type Equipped = Bench & Pick<HarnessContext, 'settings' | 'model' | 'modelAccess'>;

type Changes = Partial<
  Omit<HarnessContext, 'settings' | 'model' | 'modelAccess' | 'sandbox' | 'workspaceDir' | 'emit'>
> & {
  readonly onShown?: (shown: string) => void;
};

async function observe(harness: Harness, bench: Equipped, changes: Changes = {}): Promise<Observed> {
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
    prompt: 'the task',
    resume: null,
    env: PLAIN_ENV,
    timeoutMs: 60_000,
    graceMs: 300,
    signal: new AbortController().signal,
    ...context,
    settings: bench.settings,
    model: bench.model,
    modelAccess: bench.modelAccess,
    workspaceDir: bench.sandbox.workspacePath,
    sandbox: bench.sandbox,
    emit,
  });
  isOver = true;
  await new Promise((resolve) => setTimeout(resolve, 50));
  return { result, shown, late };
}
