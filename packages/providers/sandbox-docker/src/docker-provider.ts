import { existsSync } from 'node:fs';
import { isAbsolute, normalize } from 'node:path';
import {
  PalisadeError,
  type Sandbox,
  type SandboxProbe,
  type SandboxProvider,
  type SandboxSpec,
  toPalisadeError,
} from '@palisade/contracts';
import { giveTree, probeByAllocating, realDirectory, removeOwn } from '@palisade/sandbox-process';
import { type Image, WORKSPACE } from './container-options.ts';
import { removeContainers } from './containers.ts';
import { DockerSandbox } from './docker-sandbox.ts';
import { engineAddress } from './engine-address.ts';
import { EngineClient } from './engine-client.ts';
import { EngineError } from './engine-error.ts';
import { isPinned, isReference } from './image-reference.ts';
import { makeOwnDirectory, ownDirectory } from './own-directory.ts';
import { proveProtections } from './probe.ts';

/** The operator's variable that names the image. */
const IMAGE = 'PALISADE_DOCKER_IMAGE';
/** The operator's word that its tag will do. Which image it was is in every attempt's record either way. */
const ALLOW_UNPINNED = 'PALISADE_DOCKER_ALLOW_UNPINNED';

/** All variables the provider reads. They say where things are and hold no secret. */
export const DOCKER_VARIABLES: readonly string[] = [
  IMAGE,
  ALLOW_UNPINNED,
  'DOCKER_HOST',
  'DOCKER_TLS_VERIFY',
  'DOCKER_CERT_PATH',
];

type Variables = Readonly<Record<string, string | undefined>>;

/** Who programs run as when the supervisor is root. No file of the machine belongs to it. */
const NOBODY = 65_532;

const MISSING = {
  reason: `no image is named (${IMAGE})`,
  next: `set ${IMAGE} to an image of your Docker engine, as name@sha256:<digest>`,
};

/**
 * Sandboxes of a Docker engine (DI-151, DI-152): every program runs in a container of its own over the
 * attempt's workspace, and its end is the container's. Weaker than bubblewrap only in what it costs: a
 * container for each program, and an engine that runs as root and learns every secret.
 *
 * @param env where {@link DOCKER_VARIABLES} are read, each time they are needed
 */
export function dockerSandboxes(env: Variables): SandboxProvider {
  let probed: Promise<SandboxProbe> | undefined;
  return {
    name: 'docker',
    strength: 40,
    probe: () => (probed ??= proveOnce(env)),
    allocate: (spec) => allocate(env, spec),
    async reap(attemptId: string, stateDir: string): Promise<void> {
      const own = ownDirectory(stateDir);
      if (!existsSync(own.root)) return;
      await removeContainers(new EngineClient(engineAddress(env)), attemptId, existsSync(own.creating));
      removeOwn(own.root);
    },
  };
}

/** A sandbox that was seen to be one. */
async function allocate(env: Variables, spec: SandboxSpec): Promise<Sandbox> {
  const engine = new EngineClient(engineAddress(env));
  const image = await imageOf(env, engine);
  const workspaceDir = realDirectory(spec.workspaceDir, 'the workspace');
  for (const path of spec.readOnlyPaths) assertMountable(path);
  const supervisor = process.getuid?.() ?? 0;
  const isOtherUser = supervisor === 0;
  const user = isOtherUser ? NOBODY : supervisor;
  const own = ownDirectory(spec.stateDir);
  makeOwnDirectory(own, isOtherUser ? user : null, spec.readOnlyPaths);
  if (isOtherUser) giveTree(workspaceDir, user);
  const sandbox = new DockerSandbox({
    engine,
    image,
    spec: { ...spec, workspaceDir },
    own,
    user,
    isOtherUser,
  });
  try {
    sandbox.claim(await proveProtections(sandbox, { own, network: spec.network, limits: spec.limits }));
    return sandbox;
  } catch (error) {
    // What an engine in trouble keeps is removed when the attempt is reaped.
    await sandbox.destroy().catch(() => undefined);
    throw toPalisadeError(error, 'provider_failed');
  }
}

/** @throws PalisadeError `unpinned_image`; `requirements_unmet` when there is no such image, or nobody to ask for it */
async function imageOf(env: Variables, engine: EngineClient): Promise<Image> {
  const reference = env[IMAGE] ?? '';
  if (reference === '') throw new PalisadeError('requirements_unmet', MISSING.reason, { next: MISSING.next });
  const isAllowed = env[ALLOW_UNPINNED] === '1' && isReference(reference);
  if (!isPinned(reference) && !isAllowed)
    throw new PalisadeError('unpinned_image', `the image of ${IMAGE} is not pinned by its digest`, {
      why: 'a tag may name another image tomorrow',
      next: `set ${IMAGE} to name@sha256:<digest>, or ${ALLOW_UNPINNED}=1 if its tag will do`,
    });
  try {
    await engine.ping();
    return await engine.image(reference);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (error.status === 404)
      throw new PalisadeError('requirements_unmet', `the Docker engine does not have the image of ${IMAGE}`, {
        next: `docker pull ${reference}`,
      });
    // An engine that is being started again answers the next attempt.
    const code = isPassing(error.code) ? 'provider_failed' : 'requirements_unmet';
    throw new PalisadeError(code, error.message, { next: helpFor(error.code) });
  }
}

const PASSING = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT']);

/** True for trouble that ends with the engine's own. A permission or a certificate stays as it is. */
function isPassing(code: string | null): boolean {
  return code === null || PASSING.has(code);
}

function helpFor(code: string | null): string {
  if (code === 'EACCES' || code === 'EPERM') return 'let this user use the socket of the Docker engine';
  if (code?.startsWith('CERTIFICATES_') === true)
    return 'put ca.pem, cert.pem and key.pem into the directory of DOCKER_CERT_PATH';
  return 'start the Docker engine, or set DOCKER_HOST to where it is';
}

/** Places of a container that nothing of the host may cover. */
const RESERVED = ['/proc', '/dev', '/sys', '/etc', '/bin', '/lib', WORKSPACE];

function assertMountable(path: string): void {
  const isReserved = RESERVED.some((root) => path === root || path.startsWith(`${root}/`));
  if (isAbsolute(path) && normalize(path) === path && path !== '/' && !isReserved) return;
  throw new PalisadeError('invalid_input', 'a read-only path cannot be shown in the sandbox');
}

async function proveOnce(env: Variables): Promise<SandboxProbe> {
  if ((env[IMAGE] ?? '') === '') return { available: false, missing: true, ...MISSING };
  return probeByAllocating((spec) => allocate(env, spec));
}
