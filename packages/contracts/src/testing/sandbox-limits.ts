import type { ExecResult, SandboxLimits, SandboxProtection } from '../sandbox.ts';
import { livingWith } from './living-processes.ts';
import { type Suite, sleepToken, text } from './sandbox-bench.ts';

const MiB = 2 ** 20;
/** Works for four seconds and prints the processor time of the shell and of its children, as POSIX has it. */
const SPIN = 'start=$(date +%s); while [ $(($(date +%s) - start)) -lt 4 ]; do :; done; times';

/** A posture is what is really enforced: every limit it names must end a program that exceeds it, by name. */
export function limitConformance({ describe, it, expect, provider, withSandbox }: Suite): void {
  /** Checks the result when the limit is claimed; a provider that does not claim it promises nothing. */
  const whenClaimed = (
    protection: SandboxProtection,
    limits: Partial<SandboxLimits>,
    script: string,
    check: (result: ExecResult) => void,
  ): Promise<void> =>
    withSandbox(
      async ({ sandbox, run }) => {
        if (sandbox.posture.includes(protection)) check(await run(script, { timeoutMs: 60_000 }));
      },
      { limits },
    );

  describe('posture and limits', () => {
    it('a probe is available with a posture, or says why not', async () => {
      const probe = await provider.probe();
      if (probe.available) expect(probe.posture.length).toBeGreaterThanOrEqual(1);
      else expect(probe.reason).not.toBe('');
      expect(await provider.probe()).toEqual(probe);
    });

    it('FF-062: a program over its memory limit is ended and memory is named', () =>
      whenClaimed(
        'memory-limit',
        { memoryBytes: 128 * MiB },
        'head -c 600000000 /dev/zero | tail -c 500000000 | wc -c; exit 1',
        (result) => {
          expect(result.outcome).toBe('limit');
          expect([result.limit?.name, result.limit?.setting]).toEqual(['memory', 'sandbox.memory_bytes']);
        },
      ));

    it('a program over its file size limit is ended and the limit is named', () =>
      whenClaimed('file-size-limit', { fileBytes: MiB }, 'exec head -c 3000000 /dev/zero > big', (result) => {
        expect(result.outcome).toBe('limit');
        expect([result.limit?.name, result.limit?.setting]).toEqual(['file-size', 'sandbox.file_bytes']);
      }));

    it('a program over its process limit cannot start more, and the limit is named', async () => {
      const token = sleepToken();
      await whenClaimed(
        'process-limit',
        { processes: 20 },
        `i=0; while [ $i -lt 200 ]; do sleep ${token} & i=$((i+1)); done; echo all started; wait`,
        (result) => {
          expect(text(result.stdout)).toBe('');
          expect(result.outcome).toBe('limit');
          expect([result.limit?.name, result.limit?.setting]).toEqual(['processes', 'sandbox.processes']);
        },
      );
      expect(livingWith(token)).toEqual([]);
    });

    it('a program gets no more processor time than its limit', () =>
      whenClaimed('cpu-limit', { cpus: 0.1 }, SPIN, (result) => {
        const seconds = [...text(result.stdout).matchAll(/(\d+)m([\d.]+)s/g)]
          .map(([, minutes, rest]) => Number(minutes) * 60 + Number(rest))
          .reduce((sum, one) => sum + one, 0);
        // Four seconds at a tenth, with room for what the kernel gives in advance.
        expect(seconds).toBeLessThan(1.2);
        expect(seconds > 0).toBe(true);
      }));

    it('a claimed boundary is seen from inside', () =>
      withSandbox(async ({ sandbox, run }) => {
        const { posture } = sandbox;
        const inside = text(
          (await run('cat /proc/self/status; echo; tail -n +3 /proc/net/dev | wc -l')).stdout,
        );
        const status = (name: string): string =>
          new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(inside)?.[1] ?? '';
        if (posture.includes('seccomp')) expect(status('Seccomp')).toBe('2');
        if (posture.includes('no-new-privileges')) expect(status('NoNewPrivs')).toBe('1');
        if (posture.includes('no-capabilities')) expect(status('CapEff')).toBe('0000000000000000');
        if (posture.includes('network-none')) expect(inside.trim().split('\n').at(-1)).toBe('1');
        if (posture.includes('other-uid')) expect(sandbox.uid).not.toBe(process.getuid?.());
        const hasBoundary = posture.includes('pid-namespace') || posture.includes('other-uid');
        expect(posture.includes('unsandboxed-host')).toBe(!hasBoundary);
      }));
  });
}
