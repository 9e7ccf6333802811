import { PalisadeError, type Sandbox, type SandboxProtection } from '@palisade/contracts';
import { lookInside, proved } from '@palisade/sandbox-process';

/**
 * The protections of a sandbox, seen in that very sandbox before anything of the attempt runs there. The
 * limits of memory, processes and files are the caller's to claim.
 *
 * @param network whether the sandbox was made with the network of the host
 * @param tmpDir where this machine finds the /tmp of the sandbox, if it is its own
 * @throws PalisadeError `requirements_unmet` when what makes it a sandbox at all cannot be proved
 */
export async function proveProtections(
  sandbox: Sandbox,
  network: boolean,
  tmpDir: string,
): Promise<readonly SandboxProtection[]> {
  const { result, facts } = await lookInside(sandbox, tmpDir);
  if (result.outcome !== 'exited')
    throw new PalisadeError(
      'requirements_unmet',
      `bubblewrap could not make a sandbox (${result.detail ?? result.outcome})`,
      { next: 'allow user namespaces for this user, e.g. sysctl kernel.unprivileged_userns_clone=1' },
    );
  return proved('bubblewrap', facts, network ? 'network-host' : 'network-none');
}
