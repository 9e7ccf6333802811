import { posix } from 'node:path';
import type { ExecSpec, SandboxLimits } from '@palisade/contracts';

/** Where programs see the workspace. */
export const WORKSPACE = '/workspace';

/** Finds the containers of an attempt; its value is the attempt's id (DI-151). */
export const ATTEMPT_LABEL = 'palisade.attempt';

/** A directory of this machine that programs see. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly isWritable: boolean;
}

/** The image as the engine has it. */
export interface Image {
  readonly id: string;
  /** Names of the variables it would set. */
  readonly variables: readonly string[];
}

export interface ContainerPlan {
  readonly image: Image;
  readonly attemptId: string;
  readonly exec: ExecSpec;
  readonly limits: SandboxLimits;
  /** No network at all, or the engine's bridge where plan and operator allow it. */
  readonly network: boolean;
  /** Number of the user and of the group. */
  readonly user: number;
  readonly mounts: readonly Mount[];
}

/**
 * One program's container (DI-152): only the attempt's own mounts, no capability, no new privileges,
 * a read-only root, no network unless allowed, and every limit. The engine keeps none of its output,
 * which may hold secrets; the environment stays in the engine's own files, readable by whoever
 * administers it, until the container is removed.
 */
export function containerOptions(plan: ContainerPlan): object {
  const { exec, limits, user } = plan;
  const hasInput = exec.stdin !== undefined;
  return {
    Image: plan.image.id,
    Labels: { [ATTEMPT_LABEL]: plan.attemptId },
    Entrypoint: [],
    Cmd: commandWords(exec),
    Env: environment(exec.env, plan.image),
    WorkingDir: posix.join(WORKSPACE, exec.cwd ?? '.'),
    User: `${user}:${user}`,
    Hostname: 'sandbox',
    Healthcheck: { Test: ['NONE'] },
    OpenStdin: hasInput,
    StdinOnce: hasInput,
    AttachStdin: hasInput,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      NetworkMode: plan.network ? 'bridge' : 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      // Files in memory count towards the limit of memory.
      IpcMode: 'private',
      ShmSize: limits.memoryBytes,
      // The first process collects orphans, and signals reach the program as they would anywhere else.
      Init: true,
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      PidsLimit: processLimit(limits),
      ...(limits.cpus === undefined ? {} : { NanoCpus: Math.round(limits.cpus * 1e9) }),
      Ulimits: [
        { Name: 'fsize', Soft: limits.fileBytes, Hard: limits.fileBytes },
        { Name: 'core', Soft: 0, Hard: 0 },
      ],
      LogConfig: { Type: 'none', Config: {} },
      Mounts: plan.mounts.map(({ source, target, isWritable }) => ({
        Type: 'bind',
        Source: source,
        Target: target,
        ReadOnly: !isWritable,
      })),
    },
  };
}

/** Processes a container may have: those of the program, and the first one. */
export function processLimit(limits: SandboxLimits): number {
  return limits.processes + 1;
}

/** Docker sets HOME and HOSTNAME, and what the image says; a program gets what it was given and no more (DI-109). */
function environment(env: Readonly<Record<string, string>>, image: Image): string[] {
  const given = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const others = new Set(['PATH', 'HOSTNAME', ...image.variables]);
  // A name without a value takes the variable away.
  return [...given, ...[...others].filter((name) => !Object.hasOwn(env, name))];
}

function commandWords(exec: ExecSpec): string[] {
  // `env` would take a program with an equals sign for a variable.
  if (Object.hasOwn(exec.env, 'HOME') || exec.argv[0].includes('=')) return [...exec.argv];
  return ['/usr/bin/env', '-u', 'HOME', '--', ...exec.argv];
}
