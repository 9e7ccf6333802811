import { posix } from 'node:path';
import type { ExecSpec, SandboxLimits } from '@palisade/contracts';
import type { ContainerCreateOptions, MountSettings } from 'dockerode';

/** Where programs see the workspace. */
export const WORKSPACE = '/workspace';

/** Finds the containers of an attempt; its value is the attempt's id (DI-151). */
export const ATTEMPT_LABEL = 'palisade.attempt';

/** Bytes of the private /tmp. */
const TMP_BYTES = 1024 ** 3;

export interface ContainerPlan {
  readonly image: string;
  readonly attemptId: string;
  readonly exec: ExecSpec;
  readonly limits: SandboxLimits;
  /** `--network=none`, or the daemon's bridge where plan and operator allow it. */
  readonly network: boolean;
  readonly uid: number;
  readonly gid: number;
  readonly mounts: readonly MountSettings[];
}

/**
 * One program's container (DI-152): only the attempt's own mounts, no capability, no new privileges,
 * a read-only root, private /tmp, no network unless allowed, and every limit. The daemon keeps none of
 * its output, which may hold secrets; the environment stays in the daemon's own files, readable by its
 * administrator only, until the container is removed.
 */
export function containerOptions(plan: ContainerPlan): ContainerCreateOptions {
  const { exec, limits, uid, gid } = plan;
  return {
    Image: plan.image,
    Labels: { [ATTEMPT_LABEL]: plan.attemptId },
    Entrypoint: [],
    Cmd: commandWords(exec),
    Env: environment(exec.env),
    WorkingDir: posix.join(WORKSPACE, exec.cwd ?? '.'),
    User: `${uid}:${gid}`,
    Hostname: 'sandbox',
    OpenStdin: exec.stdin !== undefined,
    StdinOnce: exec.stdin !== undefined,
    AttachStdin: exec.stdin !== undefined,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      NetworkMode: plan.network ? 'bridge' : 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      IpcMode: 'none',
      // The first process collects orphans, and signals reach the program as they would anywhere else.
      Init: true,
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      PidsLimit: limits.processes + 1,
      Ulimits: [
        { Name: 'fsize', Soft: limits.fileBytes, Hard: limits.fileBytes },
        { Name: 'core', Soft: 0, Hard: 0 },
      ],
      LogConfig: { Type: 'none', Config: {} },
      Tmpfs: { '/tmp': `rw,exec,nosuid,nodev,size=${TMP_BYTES},uid=${uid},gid=${gid}` },
      Mounts: [...plan.mounts],
    },
  };
}

/** Docker always sets HOME and HOSTNAME, and PATH from the image; a program gets what it was given and no more (DI-109). */
function environment(env: Readonly<Record<string, string>>): string[] {
  const given = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const unset = ['PATH', 'HOSTNAME'].filter((name) => !Object.hasOwn(env, name));
  return [...given, ...unset];
}

function commandWords(exec: ExecSpec): string[] {
  // `env` would take a program with an equals sign for a variable.
  if (Object.hasOwn(exec.env, 'HOME') || exec.argv[0].includes('=')) return [...exec.argv];
  return ['/usr/bin/env', '-u', 'HOME', ...exec.argv];
}
