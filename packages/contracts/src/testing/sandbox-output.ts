import { type Suite, text } from './sandbox-bench.ts';

/** What a program writes: all of it, in order, within the limits. */
export function outputConformance({ describe, it, expect, withSandbox }: Suite): void {
  describe('output', () => {
    it('FF-065: a program that writes 1 MB and exits loses none of it, however often', () =>
      withSandbox(async ({ run }) => {
        for (let round = 0; round < 25; round++) {
          const result = await run('head -c 1000000 /dev/zero; head -c 100000 /dev/zero >&2');
          expect([result.stdout.length, result.stderr.length]).toEqual([1_000_000, 100_000]);
        }
      }));

    it('each stream is kept up to its own limit, the rest is counted, and the observer sees everything', () =>
      withSandbox(
        async ({ run }) => {
          const seen = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
          const result = await run('seq 1 100000; seq 1 50000 >&2', {
            onOutput: (stream, bytes) => seen[stream].push(Uint8Array.from(bytes)),
          });
          const sequence = (last: number): string =>
            Array.from({ length: last }, (_, index) => `${index + 1}\n`).join('');
          expect(text(Buffer.concat(seen.stdout)) === sequence(100_000)).toBe(true);
          expect(text(Buffer.concat(seen.stderr)) === sequence(50_000)).toBe(true);
          expect(text(result.stdout)).toBe(sequence(100_000).slice(0, 1000));
          expect(text(result.stderr)).toBe(sequence(50_000).slice(0, 500));
          expect(result.stdoutDropped).toBe(sequence(100_000).length - 1000);
          expect(result.stderrDropped).toBe(sequence(50_000).length - 500);
          expect([result.outcome, result.exitCode]).toEqual(['exited', 0]);
        },
        { limits: { stdoutBytes: 1000, stderrBytes: 500 } },
      ));

    it('FF-073: what is kept never ends inside a character', async () => {
      const emoji = '🙂é漢'.repeat(10);
      for (let limit = 9; limit < 18; limit++)
        await withSandbox(
          async ({ run }) => {
            const result = await run('cat', { stdin: Buffer.from(emoji) });
            const kept = new TextDecoder('utf-8', { fatal: true }).decode(result.stdout);
            expect(emoji.startsWith(kept)).toBe(true);
            expect(limit - result.stdout.length).toBeLessThan(4);
            expect(result.stdout.length + result.stdoutDropped).toBe(Buffer.byteLength(emoji));
          },
          { limits: { stdoutBytes: limit } },
        );
    });

    it('FF-074: a line of 5 MB with characters across every chunk edge arrives whole', () =>
      withSandbox(async ({ run }) => {
        const line = `${JSON.stringify({ text: 'a漢🙂é'.repeat(450_000) })}\n`;
        const chunks: Uint8Array[] = [];
        await run('cat', {
          stdin: Buffer.from(line),
          onOutput: (_stream, bytes) => chunks.push(Uint8Array.from(bytes)),
        });
        expect(text(Buffer.concat(chunks)) === line).toBe(true);
      }));

    it('a program may open its standard streams again by name', () =>
      withSandbox(async ({ run }) => {
        const result = await run('cat /dev/stdin > /dev/stdout; echo error > /dev/stderr', {
          stdin: Buffer.from('input'),
        });
        expect([text(result.stdout), text(result.stderr)]).toEqual(['input', 'error\n']);
      }));

    it('an observer that throws neither stops the draining nor changes the result', () =>
      withSandbox(async ({ run }) => {
        const result = await run('head -c 500000 /dev/zero; exit 4', {
          onOutput: () => {
            throw new Error('observer');
          },
        });
        expect([result.outcome, result.exitCode, result.stdout.length]).toEqual(['exited', 4, 500_000]);
      }));
  });
}
