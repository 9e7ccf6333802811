import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  limits,
  type Sandbox,
  type SandboxProbe,
  type SandboxSpec,
  toPalisadeError,
} from '@palisade/contracts';

/** What a provider whose sandboxes are proved when they are made gives here: one is made, and thrown away. */
export async function probeByAllocating(
  allocate: (spec: SandboxSpec) => Promise<Sandbox>,
): Promise<SandboxProbe> {
  const dir = mkdtempSync(join(tmpdir(), 'palisade-probe-'));
  try {
    const workspaceDir = join(dir, 'workspace');
    mkdirSync(workspaceDir);
    const sandbox = await allocate({
      attemptId: `probe-${crypto.randomUUID()}`,
      workspaceDir,
      stateDir: join(dir, 'state'),
      readOnlyPaths: [],
      network: false,
      limits,
    });
    await sandbox.destroy();
    return { available: true, posture: sandbox.posture };
  } catch (error) {
    const { message, why, next } = toPalisadeError(error, 'provider_failed');
    const reason = why === undefined ? message : `${message}: ${why}`;
    return { available: false, reason, ...(next !== undefined && { next }) };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
