import { lstatSync, rmSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { PalisadeError, type Sandbox, type SandboxProtection } from '@palisade/contracts';

const MARK = 'palisade-probe';

/*
 * What a shell inside reads about itself and prints, in sections, and a file it leaves in /tmp. It starts no
 * other program: the sandbox may allow very few processes.
 */
const SCRIPT = `show() { while IFS= read -r line; do printf '%s\\n' "$line"; done <"$1"; }
show /proc/self/status; echo ==net; show /proc/net/dev
echo ==processes; set -- /proc/[0-9]*; echo "$#"
true >/tmp/${MARK}; echo ==write; true >/usr/${MARK} && echo writable; echo ==end`;

const REQUIRED: readonly SandboxProtection[] = [
  'pid-namespace',
  'network-none',
  'readonly-root',
  'seccomp',
  'no-new-privileges',
  'no-capabilities',
];

/**
 * The protections of a sandbox, by a tiny program that runs in it: only what is seen there is believed, so
 * what an attempt's posture says was proved in that very sandbox, before anything of the attempt ran there.
 * The limits of memory, processes and files are the caller's to claim; those of time and output are held from
 * outside, whatever happens inside.
 *
 * @param network whether the sandbox was made with the network of the host
 * @param tmpDir where this machine finds the /tmp of the sandbox, if it is its own
 * @throws PalisadeError `requirements_unmet` when what makes it a sandbox at all cannot be proved
 */
export async function proveProtections(
  sandbox: Sandbox,
  network: boolean,
  tmpDir: string,
): Promise<SandboxProtection[]> {
  const chunks: Uint8Array[] = [];
  const result = await sandbox.exec({
    argv: ['/bin/sh', '-c', SCRIPT],
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: 10_000,
    graceMs: 0,
    // Read as it comes: the sandbox's own limit may keep less than this.
    onOutput: (stream, bytes) => void (stream === 'stdout' && chunks.push(Uint8Array.from(bytes))),
  });
  if (result.outcome !== 'exited')
    throw new PalisadeError(
      'requirements_unmet',
      `bubblewrap could not make a sandbox (${result.detail ?? result.outcome})`,
      { next: 'allow user namespaces for this user, e.g. sysctl kernel.unprivileged_userns_clone=1' },
    );
  const mark = join(tmpDir, MARK);
  const left = lstatSync(mark, { throwIfNoEntry: false });
  rmSync(mark, { force: true });
  const facts = factsOf(Buffer.concat(chunks).toString('utf8'), left, sandbox.uid);
  const required = network ? REQUIRED.filter((name) => name !== 'network-none') : REQUIRED;
  const missing = required.filter((name) => facts[name] !== true);
  if (missing.length > 0)
    throw new PalisadeError(
      'requirements_unmet',
      `bubblewrap runs but does not give ${missing.join(', ')} here`,
    );
  const proved = Object.entries(facts).flatMap(([name, holds]) => (holds ? [name as SandboxProtection] : []));
  return [...proved, ...(network ? (['network-host'] as const) : []), 'time-limit', 'output-limit'];
}

function factsOf(
  text: string,
  left: Stats | undefined,
  uid: number | null,
): Partial<Record<SandboxProtection, boolean>> {
  const status = (name: string): string => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(text)?.[1] ?? '';
  const section = (name: string): string => text.split(`==${name}\n`)[1]?.split('==')[0] ?? '';
  const interfaces = section('net')
    .split('\n')
    .flatMap((line) => /^\s*([^\s:|]+):/.exec(line)?.[1] ?? []);
  return {
    'other-uid': uid !== null && uid !== process.getuid?.() && left?.uid === uid,
    'pid-namespace': /^NSpid:\s+\d+$/m.test(text) && Number(section('processes') || Number.NaN) < 10,
    'network-none': interfaces.length === 1 && interfaces[0] === 'lo',
    'readonly-root': text.includes('==write\n==end'),
    'private-tmp': left?.isFile() === true,
    seccomp: status('Seccomp') === '2',
    'no-new-privileges': status('NoNewPrivs') === '1',
    'no-capabilities': ['CapEff', 'CapPrm', 'CapBnd', 'CapAmb'].every((name) => /^0+$/.test(status(name))),
  };
}
