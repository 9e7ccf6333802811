import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allCommandLines } from './living-processes.ts';
import { PLAIN_ENV, type Suite, sleepToken, text } from './sandbox-bench.ts';

/** How a program is started: environment, arguments, directory, input, and what happens when it cannot be. */
export function startConformance({ describe, it, expect, withSandbox }: Suite): void {
  describe('starting', () => {
    it('DI-109: a program gets exactly the environment given and nothing of the supervisor', () =>
      withSandbox(async ({ exec }) => {
        process.env['PALISADE_CONFORMANCE_CANARY'] = 'of-the-supervisor';
        const env = {
          PATH: '/usr/bin:/bin',
          EMPTY: '',
          SPACES: ' a  b ',
          QUOTES: `'"\`$HOME`,
          LINES: 'one\ntwo',
          EQUALS: 'a=b=c',
          UMLAUT: 'größe 漢字 🙂',
        };
        const result = await exec(['/usr/bin/env', '-0'], { env });
        delete process.env['PALISADE_CONFORMANCE_CANARY'];
        const seen = text(result.stdout)
          .split('\0')
          .filter((line) => line !== '');
        expect(seen.sort()).toEqual(
          Object.entries(env)
            .map(([name, value]) => `${name}=${value}`)
            .sort(),
        );
      }));

    it('arguments arrive as they are, whatever is in them', () =>
      withSandbox(async ({ exec }) => {
        const words = [
          '',
          ' ',
          'a b',
          '"',
          "'",
          '$HOME',
          '*',
          '-x',
          '--',
          ';true',
          '%s',
          'ü漢🙂',
          'a\nb',
          'A=b',
        ];
        const result = await exec(['/usr/bin/printf', '%s\\0', ...words]);
        expect(text(result.stdout)).toBe(words.map((word) => `${word}\0`).join(''));
      }));

    it('a program starts in the workspace, or in the directory below it that is asked for', () =>
      withSandbox(async ({ run, sandbox, workspaceDir }) => {
        mkdirSync(join(workspaceDir, 'sub dir'));
        chmodSync(join(workspaceDir, 'sub dir'), 0o755);
        expect(text((await run('pwd -P')).stdout).trim()).toBe(sandbox.workspacePath);
        const below = await run('pwd -P', { cwd: 'sub dir' });
        expect(text(below.stdout).trim()).toBe(`${sandbox.workspacePath}/sub dir`);
      }));

    it('a working directory that is missing or outside of the workspace starts nothing', () =>
      withSandbox(async ({ run }) => {
        for (const cwd of ['missing', '..', '/', 'a/../../b']) {
          const result = await run('echo started', { cwd });
          expect(result.outcome, cwd).toBe('start_failed');
          expect(text(result.stdout)).toBe('');
        }
      }));

    it('input bytes arrive unchanged, and no input is an end of file', () =>
      withSandbox(async ({ run }) => {
        const stdin = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256);
        expect(Buffer.compare((await run('cat', { stdin })).stdout, stdin)).toBe(0);
        const none = await run('cat');
        expect(none.outcome).toBe('exited');
        expect(none.stdout.length).toBe(0);
      }));

    it('a program that does not read its input ends as it likes', () =>
      withSandbox(async ({ run }) => {
        const result = await run('exit 7', { stdin: new Uint8Array(4_000_000) });
        expect([result.outcome, result.exitCode]).toEqual(['exited', 7]);
      }));

    it('DI-123: a program that cannot start says why, without a value of its arguments or environment', () =>
      withSandbox(async ({ exec, workspaceDir, sandbox }) => {
        const file = (name: string, content: string, mode: number): string => {
          writeFileSync(join(workspaceDir, name), content);
          chmodSync(join(workspaceDir, name), mode);
          return `${sandbox.workspacePath}/${name}`;
        };
        const cases: readonly (readonly [string, RegExp])[] = [
          ['no-such-program-anywhere', /ENOENT/],
          ['/no/such/program', /ENOENT/],
          [file('plain', 'text', 0o644), /EACCES/],
          [file('orphan', '#!/no/such/interpreter\n', 0o755), /ENOENT/],
          [sandbox.workspacePath, /EACCES/],
        ];
        for (const [program, reason] of cases) {
          const result = await exec([program, 'canary-argument'], {
            env: { ...PLAIN_ENV, SECRET: 'canary-value' },
          });
          expect(result.outcome, program).toBe('start_failed');
          expect(result.exitCode).toBe(null);
          expect(result.detail).toMatch(reason);
          expect(JSON.stringify(result.detail)).not.toContain('canary');
        }
      }));

    it('malformed arguments and variables are a failed start, never an exception', () =>
      withSandbox(async ({ exec }) => {
        const malformed = [
          exec(['/bin/true', 'canary\0b']),
          exec(['']),
          exec(['/bin/true'], { env: { A: 'canary\0b' } }),
          exec(['/bin/true'], { env: { 'A=B': 'canary' } }),
          exec(['/bin/true', 'canary'.repeat(1_000_000)]),
        ];
        for (const result of await Promise.all(malformed)) {
          expect(result.outcome).toBe('start_failed');
          expect(result.detail).not.toContain('canary');
        }
      }));

    it('secrets of the environment and the input are in no command line of the machine', () =>
      withSandbox(async ({ run }) => {
        const canary = `canary-${sleepToken()}`;
        let seen: string[] | undefined;
        const result = await run('read line; echo ready; read line', {
          env: { ...PLAIN_ENV, SECRET: canary },
          stdin: Buffer.from(`${canary}\n`),
          onOutput: () => {
            seen ??= allCommandLines();
          },
        });
        expect(text(result.stdout)).toBe('ready\n');
        expect((seen ?? []).length).toBeGreaterThanOrEqual(1);
        expect((seen ?? []).join('\n')).not.toContain(canary);
      }));
  });
}
