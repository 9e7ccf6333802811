import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchDirectory, type Suite, sleepToken, text } from './sandbox-bench.ts';

/** What a program and the host see of each other's files. */
export function workspaceConformance({ describe, it, expect, withSandbox }: Suite): void {
  describe('workspace', () => {
    it('what a program writes the host reads, and the other way round', () =>
      withSandbox(async ({ run, sandbox, workspaceDir }) => {
        writeFileSync(join(workspaceDir, 'from-host'), 'host');
        const result = await run(`cat from-host; echo -n program > ${sandbox.workspacePath}/from-program`);
        expect(text(result.stdout)).toBe('host');
        expect(readFileSync(join(workspaceDir, 'from-program'), 'utf8')).toBe('program');
        const owner = sandbox.uid ?? process.getuid?.();
        expect(lstatSync(join(workspaceDir, 'from-program')).uid).toBe(owner);
      }));

    it('FF-019: whatever modes a program leaves, the host can remove the workspace', () =>
      withSandbox(async ({ run, workspaceDir, sandbox }) => {
        await run('mkdir -p deep/er; echo x > deep/er/file; chmod 000 deep/er/file; chmod 700 deep/er deep');
        await sandbox.destroy();
        rmSync(join(workspaceDir, 'deep'), { recursive: true });
        expect(readdirSync(workspaceDir)).toEqual([]);
      }));

    it('FF-132 FF-134: nothing foreign is in the workspace, during and after any number of starts', () =>
      withSandbox(async ({ run, workspaceDir }) => {
        mkdirSync(join(workspaceDir, '.git'));
        writeFileSync(join(workspaceDir, '.env'), 'tracked');
        symlinkSync('/nowhere', join(workspaceDir, 'dangling'));
        const before = entries(workspaceDir);
        for (let round = 0; round < 12; round++) {
          const killed = round % 3 === 0;
          const result = await run('find . -mindepth 1 | sort; test -z "$WAIT" || sleep 60', {
            timeoutMs: killed ? 60 + round * 15 : 30_000,
            graceMs: 0,
            env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', ...(killed && { WAIT: '1' }) },
          });
          if (!killed) expect(text(result.stdout)).toBe('./.env\n./.git\n./dangling\n');
          expect(entries(workspaceDir)).toEqual(before);
        }
      }));

    it('FF-169: paths with blanks, quotes, percent signs and foreign letters work', () =>
      withSandbox(
        async ({ run, workspaceDir, sandbox }) => {
          const name = `d " ' % $HOME ü 漢`;
          mkdirSync(join(workspaceDir, name));
          writeFileSync(join(workspaceDir, name, 'file'), 'found');
          const result = await run(`cat file; pwd -P`, { cwd: name });
          expect(text(result.stdout)).toBe(`found${sandbox.workspacePath}/${name}\n`);
        },
        { workspaceName: `w " ' % $HOME ü 漢 \\ *` },
      ));

    it('a read-only path is seen at the same path', async () => {
      const shared = scratchDirectory();
      const canary = sleepToken();
      writeFileSync(join(shared, 'object'), canary);
      try {
        await withSandbox(
          async ({ exec, run, sandbox }) => {
            expect(text((await exec(['cat', join(shared, 'object')])).stdout)).toBe(canary);
            if (sandbox.posture.includes('unsandboxed-host')) return;
            const write = await run('echo changed > "$FILE"', {
              env: { PATH: '/usr/bin:/bin', FILE: join(shared, 'object') },
            });
            expect(write.exitCode).not.toBe(0);
            expect(readFileSync(join(shared, 'object'), 'utf8')).toBe(canary);
          },
          { readOnlyPaths: [shared] },
        );
      } finally {
        rmSync(shared, { recursive: true });
      }
    });
  });
}

/** Every entry below a directory with its type and size. */
function entries(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const facts = lstatSync(path);
      return `${path} ${facts.mode} ${facts.isDirectory() ? '' : facts.size}`;
    })
    .sort();
}
