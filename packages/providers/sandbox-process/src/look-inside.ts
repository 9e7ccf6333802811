import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ExecResult, PalisadeError, type Sandbox, type SandboxProtection } from '@palisade/contracts';

const MARK = 'palisade-probe';

/*
 * What a shell inside reads about itself and prints, in sections, and a file it leaves in /tmp. It starts no
 * other program: the sandbox may allow very few processes.
 */
const SCRIPT = `show() { while IFS= read -r line; do printf '%s\\n' "$line"; done <"$1"; }
show /proc/self/status; echo ==net; show /proc/net/dev
echo ==processes; set -- /proc/[0-9]*; echo "$#"
true >/tmp/${MARK}; echo ==write; true >/usr/${MARK} && echo writable; echo ==end
`;

/** What was seen in a sandbox, before any program of an attempt ran there. */
export interface Inside {
  /** How the looking program ended; anything but `exited` means that nothing was seen. */
  readonly result: ExecResult;
  /** The boundary as every provider reads it. */
  readonly facts: Partial<Record<SandboxProtection, boolean>>;
  /** What followed `echo ==name` of the script. */
  readonly section: (name: string) => string;
}

/**
 * Looks at a sandbox from inside, by a tiny program that runs in it, and from outside at the file it left.
 *
 * @param tmpDir where this machine finds the /tmp of the sandbox, if it is its own
 * @param more lines of `sh` with sections of the provider's own; `show FILE` prints a file
 */
export async function lookInside(sandbox: Sandbox, tmpDir: string, more = ''): Promise<Inside> {
  const chunks: Uint8Array[] = [];
  const result = await sandbox.exec({
    argv: ['/bin/sh', '-c', `${SCRIPT}${more}`],
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: 10_000,
    graceMs: 0,
    // Read as it comes: the sandbox's own limit may keep less than this.
    onOutput: (stream, bytes) => void (stream === 'stdout' && chunks.push(Uint8Array.from(bytes))),
  });
  const mark = join(tmpDir, MARK);
  const left = lstatSync(mark, { throwIfNoEntry: false });
  rmSync(mark, { force: true });
  const text = Buffer.concat(chunks).toString('utf8');
  const status = (name: string): string => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(text)?.[1] ?? '';
  const section = (name: string): string => text.split(`==${name}\n`)[1]?.split('==')[0] ?? '';
  const interfaces = section('net')
    .split('\n')
    .flatMap((line) => /^\s*([^\s:|]+):/.exec(line)?.[1] ?? []);
  const { uid } = sandbox;
  const facts: Inside['facts'] = {
    'other-uid': uid !== null && uid !== process.getuid?.() && left?.uid === uid,
    'pid-namespace': /^NSpid:\s+\d+$/m.test(text) && Number(section('processes') || Number.NaN) < 10,
    'network-none': interfaces.length === 1 && interfaces[0] === 'lo',
    'readonly-root': text.includes('==write\n==end'),
    'private-tmp': left?.isFile() === true,
    seccomp: status('Seccomp') === '2',
    'no-new-privileges': status('NoNewPrivs') === '1',
    'no-capabilities': ['CapEff', 'CapPrm', 'CapBnd', 'CapAmb'].every((name) => /^0+$/.test(status(name))),
  };
  return { result, facts, section };
}

const REQUIRED: readonly SandboxProtection[] = [
  'pid-namespace',
  'network-none',
  'readonly-root',
  'seccomp',
  'no-new-privileges',
  'no-capabilities',
];

/** Which network a sandbox was made with. */
export type NetworkPosture = 'network-none' | 'network-host' | 'network-bridge';

/**
 * What a posture may claim: only what was seen, so that an attempt's posture was proved in that very
 * sandbox. Deadlines and caps of output are kept outside of it and always hold.
 *
 * @param provider named in the error
 * @throws PalisadeError `requirements_unmet` when what makes it a sandbox at all cannot be proved
 */
export function proved(
  provider: string,
  facts: Inside['facts'],
  network: NetworkPosture,
): readonly SandboxProtection[] {
  const required = REQUIRED.filter((name) => network === 'network-none' || name !== 'network-none');
  const missing = required.filter((name) => facts[name] !== true);
  if (missing.length > 0)
    throw new PalisadeError(
      'requirements_unmet',
      `${provider} runs but does not give ${missing.join(', ')} here`,
    );
  const seen = Object.entries(facts).flatMap(([name, holds]) => (holds ? [name as SandboxProtection] : []));
  return [...seen, ...(network === 'network-none' ? [] : [network]), 'time-limit', 'output-limit'];
}
