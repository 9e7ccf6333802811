import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox, SandboxProbe, SandboxProtection } from '@palisade/contracts';

/** Reads from inside what holds a program: a posture names only what was seen (DI-152). */
const LOOK = `cat canary; echo
cat /proc/self/status
echo "interfaces $(tail -n +3 /proc/net/dev | wc -l)"
echo "pid $$"
(echo x > /palisade-probe) 2>/dev/null && echo "root writable"
(echo x > /tmp/palisade-probe) 2>/dev/null && echo "tmp writable"
grep -q ' /tmp tmpfs' /proc/mounts && echo "tmp private"
grep "Max file size" /proc/self/limits`;

/** Runs one program in a sandbox without posture and tells what it really has. */
export async function proveProtections(
  sandbox: Sandbox,
  workspaceDir: string,
  daemon: { readonly memory: boolean; readonly processes: boolean },
): Promise<SandboxProbe> {
  const canary = randomBytes(16).toString('hex');
  writeFileSync(join(workspaceDir, 'canary'), canary, { mode: 0o644 });
  const result = await sandbox.exec({
    argv: ['/bin/sh', '-c', LOOK],
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: 30_000,
    graceMs: 0,
  });
  await sandbox.destroy();
  const seen = Buffer.from(result.stdout).toString('utf8');
  if (result.outcome !== 'exited')
    return {
      available: false,
      reason: `a container could not be started: ${result.detail ?? result.outcome}`,
    };
  if (!seen.startsWith(canary))
    return {
      available: false,
      reason: 'the daemon does not see the files of this machine (it runs elsewhere)',
      next: 'use a daemon of this machine',
    };
  const has = (pattern: RegExp): boolean => pattern.test(seen);
  const proved: [SandboxProtection, boolean][] = [
    ['other-uid', !has(new RegExp(`^Uid:\\s+${process.getuid?.() ?? 0}\\s`, 'm'))],
    ['pid-namespace', has(/^pid [1-9]$/m)],
    ['network-none', has(/^interfaces 1$/m)],
    ['readonly-root', !has(/^root writable$/m)],
    ['private-tmp', has(/^tmp private$/m) && has(/^tmp writable$/m)],
    ['seccomp', has(/^Seccomp:\s+2$/m)],
    ['no-new-privileges', has(/^NoNewPrivs:\s+1$/m)],
    ['no-capabilities', has(/^CapEff:\s+0+$/m) && has(/^CapBnd:\s+0+$/m)],
    ['memory-limit', daemon.memory],
    ['process-limit', daemon.processes],
    ['file-size-limit', has(/^Max file size\s+\d+\s+\d+/m)],
    ['time-limit', true],
    ['output-limit', true],
  ];
  return { available: true, posture: proved.filter(([, holds]) => holds).map(([name]) => name) };
}
