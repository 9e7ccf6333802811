import { lchownSync, lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import {
  limits as stated,
  PalisadeError,
  type Sandbox,
  type SandboxProbe,
  type SandboxProvider,
  type SandboxSpec,
  toPalisadeError,
} from '@palisade/contracts';
import Docker from 'dockerode';
import { ATTEMPT_LABEL } from './container-options.ts';
import { DockerSandbox } from './docker-sandbox.ts';
import { isPinned } from './image-reference.ts';
import { proveProtections } from './probe.ts';

export interface DockerOptions {
  /** `name@sha256:<digest>` or an image id. It holds `sh`, `env` and the tools agents need. */
  readonly image: string;
  /** Accept a tag, which may name another image tomorrow. */
  readonly allowUnpinnedImage?: boolean;
  /** The daemon; by default the one of `DOCKER_HOST`, or the local socket. */
  readonly docker?: Docker;
  /** Who programs run as when the supervisor is root; by default 65532. */
  readonly uid?: number;
}

const NOBODY = 65_532;

/**
 * Sandboxes of a Docker daemon (DI-151, DI-152): every program runs in a container of its own over the
 * attempt's workspace, and its end is the container's. Chosen by name: it costs a container per
 * program where bubblewrap costs a process.
 */
export function dockerSandboxes(options: DockerOptions): SandboxProvider {
  const docker = options.docker ?? new Docker();
  let probed: Promise<SandboxProbe> | undefined;
  const probe = (): Promise<SandboxProbe> => (probed ??= prove(docker, options));
  return {
    name: 'docker',
    strength: 40,
    probe,
    async allocate(spec: SandboxSpec): Promise<Sandbox> {
      const found = await probe();
      if (!found.available)
        throw new PalisadeError('requirements_unmet', found.reason, {
          ...(found.next !== undefined && { next: found.next }),
        });
      return prepare(docker, options, spec, found);
    },
    async reap(attemptId: string): Promise<void> {
      const left = await docker.listContainers({
        all: true,
        filters: { label: [`${ATTEMPT_LABEL}=${attemptId}`] },
      });
      for (const { Id } of left) await remove(docker, Id);
    },
  };
}

async function remove(docker: Docker, id: string): Promise<void> {
  try {
    await docker.getContainer(id).remove({ force: true, v: true });
  } catch (error) {
    // Somebody else removed it, or is about to.
    const status = (error as { statusCode?: number }).statusCode;
    if (status !== 404 && status !== 409) throw toPalisadeError(error, 'provider_failed');
  }
}

async function prove(docker: Docker, options: DockerOptions): Promise<SandboxProbe> {
  if (!isPinned(options.image) && options.allowUnpinnedImage !== true)
    return {
      available: false,
      reason: `the image ${options.image} is not pinned by a digest`,
      next: 'name it as name@sha256:<digest>',
    };
  const dir = mkdtempSync(join(tmpdir(), 'palisade-probe-'));
  try {
    const info = (await docker.info()) as { MemoryLimit?: boolean; PidsLimit?: boolean };
    const sandbox = prepare(
      docker,
      options,
      {
        attemptId: `probe-${process.pid}-${Math.round(performance.now())}`,
        workspaceDir: dir,
        stateDir: dir,
        readOnlyPaths: [],
        network: false,
        limits: stated,
      },
      { available: true, posture: [] },
    );
    return await proveProtections(sandbox, dir, {
      memory: info.MemoryLimit === true,
      processes: info.PidsLimit === true,
    });
  } catch (error) {
    return {
      available: false,
      reason: `the Docker daemon cannot be used: ${toPalisadeError(error, 'provider_failed').message}`,
      next: 'start it, or set DOCKER_HOST',
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function prepare(
  docker: Docker,
  options: DockerOptions,
  spec: SandboxSpec,
  { posture }: Extract<SandboxProbe, { available: true }>,
): DockerSandbox {
  const workspaceDir = realDirectory(spec.workspaceDir);
  if (!spec.readOnlyPaths.every((path) => isAbsolute(path)))
    throw new PalisadeError('invalid_input', 'a read-only path is not absolute');
  const own = process.getuid?.() ?? 0;
  const uid = own === 0 ? (options.uid ?? NOBODY) : own;
  if (own === 0) giveTree(workspaceDir, uid);
  return new DockerSandbox({
    docker,
    image: options.image,
    spec: { ...spec, workspaceDir },
    uid,
    posture: posture.map((one) => (spec.network && one === 'network-none' ? 'network-host' : one)),
  });
}

/** Docker would resolve a link later, when it may point elsewhere; so it is resolved here, once. */
function realDirectory(path: string): string {
  const real = realpathSync(path);
  if (!statSync(real).isDirectory())
    throw new PalisadeError('invalid_input', 'the workspace is not a directory');
  return real;
}

/** Gives a tree to a user without following links; a file with another name elsewhere stays whose it is. */
function giveTree(root: string, uid: number): void {
  const pending = [Buffer.from(root)];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const facts = lstatSync(path);
    const isForeign = facts.uid !== uid || facts.gid !== uid;
    if (isForeign && (facts.isDirectory() || facts.nlink === 1)) lchownSync(path, uid, uid);
    if (!facts.isDirectory()) continue;
    for (const name of readdirSync(path, { encoding: 'buffer' }))
      pending.push(Buffer.concat([path, Buffer.from('/'), name]));
  }
}
