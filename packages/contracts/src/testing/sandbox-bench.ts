import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  ExecResult,
  ExecSpec,
  Sandbox,
  SandboxLimits,
  SandboxProvider,
  SandboxSpec,
} from '../sandbox.ts';
import type { TestTools } from './test-tools.ts';

const MiB = 2 ** 20;

/** A sandbox made for one test, with the host's side of it. */
export interface Bench {
  readonly sandbox: Sandbox;
  readonly spec: SandboxSpec;
  readonly workspaceDir: string;
  /** Runs a `sh` script with a plain environment. */
  readonly run: (script: string, more?: Partial<ExecSpec>) => Promise<ExecResult>;
  readonly exec: (argv: ExecSpec['argv'], more?: Partial<ExecSpec>) => Promise<ExecResult>;
}

/** What every group of conformance tests is given. */
export interface Suite extends TestTools {
  readonly provider: SandboxProvider;
  /** Gives a test its own sandbox, and destroys it and its directories whatever happens. */
  readonly withSandbox: (test: (bench: Bench) => Promise<void>, options?: BenchOptions) => Promise<void>;
}

export interface BenchOptions {
  readonly limits?: Partial<SandboxLimits>;
  readonly readOnlyPaths?: readonly string[];
  readonly network?: boolean;
  /** Name of the workspace's directory. */
  readonly workspaceName?: string;
}

/** Limits wide enough for every test that is not about them. */
const WIDE: SandboxLimits = {
  memoryBytes: 1024 * MiB,
  processes: 256,
  fileBytes: 256 * MiB,
  stdoutBytes: 16 * MiB,
  stderrBytes: 16 * MiB,
};

/** The plain environment of a test's program. */
export const PLAIN_ENV: Readonly<Record<string, string>> = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
};

/** A number of seconds nobody else sleeps, by which a test's processes are found. */
export function sleepToken(): string {
  return `4${randomBytes(5).readUIntBE(0, 5)}`;
}

/** A fresh directory below the system's temporary one, that other users may pass through. */
export function scratchDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'palisade-conformance-'));
  chmodSync(dir, 0o755);
  return dir;
}

/** The spec of a sandbox with its directories made below `root`. */
export function benchSpec(root: string, options: BenchOptions = {}): SandboxSpec {
  const workspaceDir = join(root, options.workspaceName ?? 'workspace');
  mkdirSync(workspaceDir, { recursive: true });
  mkdirSync(join(root, 'state'), { recursive: true });
  return {
    attemptId: `att_${randomBytes(16).toString('hex')}`,
    workspaceDir,
    stateDir: join(root, 'state'),
    readOnlyPaths: options.readOnlyPaths ?? [],
    network: options.network ?? false,
    limits: { ...WIDE, ...options.limits },
  };
}

/** Gives a test its own sandbox of the provider, and destroys it and its directories whatever happens. */
export async function withSandbox(
  provider: SandboxProvider,
  test: (bench: Bench) => Promise<void>,
  options: BenchOptions = {},
): Promise<void> {
  const root = scratchDirectory();
  try {
    const spec = benchSpec(root, options);
    const sandbox = await provider.allocate(spec);
    const exec: Bench['exec'] = (argv, more) =>
      sandbox.exec({ argv, env: PLAIN_ENV, timeoutMs: 30_000, graceMs: 500, ...more });
    try {
      await test({
        sandbox,
        spec,
        workspaceDir: spec.workspaceDir,
        exec,
        run: (script, more) => exec(['/bin/sh', '-c', script], more),
      });
    } finally {
      await sandbox.destroy();
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Output bytes as text. */
export function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
