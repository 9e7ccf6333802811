import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { livingWith } from './living-processes.ts';
import { benchSpec, scratchDirectory, type Suite, sleepToken, text } from './sandbox-bench.ts';

/** Where a second supervisor gets the provider from: a module, and its export that makes one without arguments. */
export interface SupervisorModule {
  /** File URL or package name. */
  readonly module: string;
  readonly export: string;
}

/** Longer than any ending may take beyond its deadline on a busy machine, shorter than any sleeper lives. */
const PROMPT_MS = 8_000;

/** A tree that ignores SIGTERM, with one child in a session of its own and one that lost its parent. */
function stubbornTree(token: string): string {
  return `trap '' TERM
(trap '' TERM; setsid sh -c "trap '' TERM; sleep ${token}; sleep ${token}" &)
(setsid env -i /bin/sh -c "sleep ${token}" >/dev/null 2>&1 </dev/null &) &
sleep 0.2; echo ready
while :; do sleep ${token}; done`;
}

/** How programs end, and that nothing outlives its end. */
export function endingConformance(
  { describe, it, expect, provider, withSandbox }: Suite,
  supervisor: SupervisorModule,
): void {
  describe('ending', () => {
    it('an exit status is reported as it was', () =>
      withSandbox(async ({ run }) => {
        for (const code of [0, 1, 2, 42, 126, 127, 128, 129, 130, 200, 255]) {
          const result = await run(`exit ${code}`);
          expect([result.outcome, result.exitCode, result.signal]).toEqual(['exited', code, null]);
        }
      }));

    it('FF-062: a signal is reported by name, and a plain SIGKILL is not claimed to be a limit', () =>
      withSandbox(async ({ run }) => {
        for (const name of ['KILL', 'TERM', 'SEGV', 'ABRT']) {
          const result = await run(`kill -${name} $$; sleep 5`);
          expect([result.outcome, result.exitCode, result.signal]).toEqual(['signaled', null, `SIG${name}`]);
          expect(result.limit).toBe(undefined);
        }
      }));

    it('FF-063: a tree that ignores SIGTERM and left its session is gone after the deadline', () =>
      withSandbox(async ({ run }) => {
        const token = sleepToken();
        const started = performance.now();
        const result = await run(stubbornTree(token), { timeoutMs: 1500, graceMs: 300 });
        expect(performance.now() - started).toBeLessThan(1800 + PROMPT_MS);
        expect([result.outcome, result.exitCode]).toEqual(['timed_out', null]);
        expect(text(result.stdout)).toContain('ready');
        expect(livingWith(token)).toEqual([]);
      }));

    it('a program is asked politely first and may clean up within its grace', () =>
      withSandbox(async ({ run }) => {
        const result = await run(
          `trap 'echo polite; exit 0' TERM; echo ready; while :; do sleep 0.05; done`,
          {
            timeoutMs: 1000,
            graceMs: 20_000,
          },
        );
        expect(text(result.stdout)).toBe('ready\npolite\n');
        expect(result.outcome).toBe('timed_out');
        expect(result.durationMs).toBeLessThan(1000 + PROMPT_MS);
      }));

    it('an aborted program is canceled promptly with all it started', () =>
      withSandbox(async ({ run }) => {
        const token = sleepToken();
        const abort = new AbortController();
        const result = await run(stubbornTree(token), {
          graceMs: 100,
          signal: abort.signal,
          onOutput: () => abort.abort(),
        });
        expect(result.outcome).toBe('canceled');
        expect(result.durationMs).toBeLessThan(PROMPT_MS);
        expect(livingWith(token)).toEqual([]);
      }));

    it('a program aborted before its turn never runs', () =>
      withSandbox(async ({ run }) => {
        const result = await run('echo ran', { signal: AbortSignal.abort() });
        expect([result.outcome, result.stdout.length]).toEqual(['canceled', 0]);
      }));

    it('what a program leaves behind ends with it, even when it holds the output open', () =>
      withSandbox(async ({ run }) => {
        const token = sleepToken();
        const result = await run(`(setsid sleep ${token} &); sleep ${token} & echo done`);
        expect([result.outcome, result.exitCode, text(result.stdout)]).toEqual(['exited', 0, 'done\n']);
        expect(result.durationMs).toBeLessThan(PROMPT_MS);
        expect(livingWith(token)).toEqual([]);
      }));

    it('programs of one sandbox run one after another', () =>
      withSandbox(async ({ run }) => {
        const script = `mkdir busy || echo overlap; sleep 0.2; rmdir busy`;
        const results = await Promise.all([run(script), run(script), run(script)]);
        expect(results.map((result) => text(result.stdout)).join('')).toBe('');
      }));

    it('what ends one program does not reach the next', () =>
      withSandbox(async ({ run }) => {
        for (let round = 0; round < 15; round++) {
          const token = sleepToken();
          const tree = `for i in 1 2 3 4 5 6 7 8; do setsid sleep ${token} & done; sleep ${token}`;
          const stopped = run(tree, { timeoutMs: 60 + round * 3, graceMs: 0 });
          const next = run('sleep 0.1; echo whole');
          expect((await stopped).outcome).toBe('timed_out');
          expect([(await next).outcome, text((await next).stdout)]).toEqual(['exited', 'whole\n']);
        }
      }));

    it('destroying ends what runs, may be repeated, and lets nothing start afterwards', () =>
      withSandbox(async ({ run, sandbox }) => {
        const token = sleepToken();
        const ready = Promise.withResolvers<void>();
        const running = run(stubbornTree(token), { graceMs: 100, onOutput: () => ready.resolve() });
        await ready.promise;
        await Promise.all([sandbox.destroy(), sandbox.destroy()]);
        expect(livingWith(token)).toEqual([]);
        expect((await running).outcome).toBe('canceled');
        await sandbox.destroy();
        expect((await run('echo ran')).outcome).toBe('start_failed');
      }));

    it('FF-038: what a killed supervisor left running is reaped, and nothing else is', async () => {
      const root = scratchDirectory();
      const [token, strangers] = [sleepToken(), sleepToken()];
      const stranger = spawn('sleep', [strangers], { stdio: 'ignore' });
      try {
        const spec = benchSpec(root);
        const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
        const child = spawn(
          process.execPath,
          [
            fileURLToPath(new URL(`./doomed-supervisor.${extension}`, import.meta.url)),
            supervisor.module,
            supervisor.export,
            JSON.stringify(spec),
            stubbornTree(token),
          ],
          { stdio: ['ignore', 'pipe', 'inherit'] },
        );
        await once(child.stdout, 'data');
        child.kill('SIGKILL');
        await once(child, 'exit');
        await provider.reap(spec.attemptId, spec.stateDir);
        expect(livingWith(token)).toEqual([]);
        expect(livingWith(strangers)).toEqual([stranger.pid]);
        await provider.reap(spec.attemptId, spec.stateDir);
        await provider.reap('att_never_existed', spec.stateDir);
        expect(livingWith(strangers)).toEqual([stranger.pid]);
      } finally {
        stranger.kill('SIGKILL');
        rmSync(root, { recursive: true, force: true });
      }
    });

    it('FF-066: fifty programs leave no process behind', () =>
      withSandbox(async ({ run }) => {
        const token = sleepToken();
        for (let round = 0; round < 50; round++) await run(`sleep ${token} & exit 0`);
        expect(livingWith(token)).toEqual([]);
      }));
  });
}
