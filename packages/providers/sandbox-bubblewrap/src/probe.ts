import type { Sandbox, SandboxProbe, SandboxProtection } from '@palisade/contracts';
import { INNER_UID } from './system-view.ts';

/** What a program inside reads about itself and prints, in sections. */
const SCRIPT = `cat /proc/self/status; echo; echo ==net; cat /proc/net/dev; echo ==limits; cat /proc/self/limits
echo ==write; (: > /usr/palisade-probe) 2>/dev/null && echo writable; ls /proc | grep -c '^[0-9]'`;

/**
 * Runs a tiny program in a sandbox made for the purpose and believes only what it sees there. A
 * protection that cannot be proved is not claimed; the sandbox's own posture holds the limits it enforces; without the ones that make it a sandbox at all
 * the provider is not available.
 */
export async function proveProtections(sandbox: Sandbox): Promise<SandboxProbe> {
  const result = await sandbox.exec({
    argv: ['/bin/sh', '-c', SCRIPT],
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: 10_000,
    graceMs: 0,
  });
  if (result.outcome !== 'exited')
    return { available: false, ...whyUnavailable(result.detail ?? result.outcome) };
  const text = Buffer.from(result.stdout).toString('utf8');
  const status = (name: string): string => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(text)?.[1] ?? '';
  const section = (name: string): string => text.split(`==${name}\n`)[1]?.split('\n==')[0] ?? '';
  const interfaces = section('net')
    .split('\n')
    .map((line) => /^\s*([^\s:|]+):/.exec(line)?.[1])
    .filter((name) => name !== undefined);
  const facts: Readonly<Partial<Record<SandboxProtection, boolean>>> = {
    'other-uid': sandbox.uid !== null && status('Uid').startsWith(`${INNER_UID}\t`),
    'pid-namespace': /^NSpid:\s+\d+$/m.test(text) && Number(section('write').trim().split('\n').at(-1)) < 10,
    'network-none': interfaces.length === 1 && interfaces[0] === 'lo',
    'readonly-root': section('write') !== '' && !section('write').includes('writable'),
    'private-tmp': true,
    seccomp: status('Seccomp') === '2',
    'no-new-privileges': status('NoNewPrivs') === '1',
    'no-capabilities': ['CapEff', 'CapPrm', 'CapBnd', 'CapAmb'].every((name) => /^0+$/.test(status(name))),
  };
  const required: readonly SandboxProtection[] = [
    'pid-namespace',
    'network-none',
    'readonly-root',
    'seccomp',
    'no-new-privileges',
    'no-capabilities',
  ];
  const missing = required.filter((name) => facts[name] !== true);
  if (missing.length > 0)
    return { available: false, reason: `bubblewrap runs but does not give ${missing.join(', ')} here` };
  const proved = Object.entries(facts)
    .filter(([, holds]) => holds)
    .map(([name]) => name as SandboxProtection);
  return { available: true, posture: [...proved, 'time-limit', 'output-limit', ...sandbox.posture] };
}

function whyUnavailable(detail: string): { reason: string; next?: string } {
  return {
    reason: `bubblewrap could not make a sandbox (${detail})`,
    next: 'allow user namespaces for this user, e.g. sysctl kernel.unprivileged_userns_clone=1',
  };
}
