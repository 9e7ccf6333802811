import { closeSync, openSync, rmSync } from 'node:fs';
import { posix } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecResult, ExecSpec, Sandbox, SandboxProtection, SandboxSpec } from '@palisade/contracts';
import { readProcess, signalProcess, startTimeNow } from '@palisade/process';
import {
  canceledEarly,
  type Cgroup,
  describeErrno,
  type Ended,
  errnoOfMessage,
  ExecQueue,
  type LimitPlan,
  nameLimit,
  notStarted,
  ProcessTree,
  signalOfStatus,
  specFault,
  type StandardStreams,
  supervise,
  toResult,
} from '@palisade/sandbox-process';
import { bubblewrapArguments, homeTarget } from './bubblewrap-arguments.ts';
import { BubblewrapStatus } from './bubblewrap-status.ts';
import { explainDenial } from './explain-denial.ts';
import { closing, inheritedDescriptors } from './inherited-descriptors.ts';
import { asUser, revealSources } from './launcher.ts';
import { type Bind, HOME, nodeDirectory, type OwnDirectories, WORKSPACE } from './system-view.ts';
import type { UidLease } from './uid-lease.ts';

/** What the provider prepared for a sandbox. */
export interface Prepared {
  readonly spec: SandboxSpec;
  readonly posture: readonly SandboxProtection[];
  readonly own: OwnDirectories;
  readonly filterFile: string;
  readonly lease: UidLease | null;
  readonly plan: LimitPlan;
  readonly cgroup: Cgroup | null;
  readonly streams: StandardStreams | null;
}

/** The launchers' own environment: theirs alone, nothing a program is given may reach them. */
export const LAUNCHER_ENV = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };
/** How long a namespace may take to end before its processes are looked for one by one. */
const NAMESPACE_DEADLINE_MS = 5_000;
/** Descriptors of bubblewrap, in the order they are passed. */
const ARGUMENTS_FD = 3;
const SECCOMP_FD = 4;
const STATUS_FD = 5;

/** One sandbox: each program gets namespaces of its own over the same workspace, home and /tmp. */
export class BubblewrapSandbox implements Sandbox {
  readonly posture: readonly SandboxProtection[];
  readonly workspacePath = WORKSPACE;
  readonly uid: number | null;
  readonly #prepared: Prepared;
  readonly #tree: ProcessTree;
  readonly #queue = new ExecQueue();
  readonly #destroying = new AbortController();

  constructor(prepared: Prepared) {
    this.#prepared = prepared;
    this.posture = prepared.posture;
    this.uid = prepared.lease?.uid ?? null;
    this.#tree = new ProcessTree(prepared.spec.attemptId, startTimeNow());
  }

  exec(spec: ExecSpec): Promise<ExecResult> {
    const signal = AbortSignal.any([
      this.#destroying.signal,
      ...(spec.signal === undefined ? [] : [spec.signal]),
    ]);
    return this.#queue.run(() => this.#run({ ...spec, signal }));
  }

  explain(text: string): string | null {
    return explainDenial(text, this.#prepared.spec.network);
  }

  async destroy(): Promise<void> {
    this.#destroying.abort();
    await this.#queue.idle();
    await this.#end();
    await this.#prepared.cgroup?.remove();
    rmSync(this.#prepared.own.root, { recursive: true, force: true });
    rmSync(this.#prepared.filterFile, { force: true });
    this.#prepared.streams?.remove();
    this.#prepared.lease?.release();
  }

  async #run(spec: ExecSpec): Promise<ExecResult> {
    if (this.#destroying.signal.aborted) return notStarted('the sandbox is destroyed');
    if (spec.signal?.aborted === true) return canceledEarly();
    const fault = specFault(spec);
    if (fault !== null) return notStarted(fault);

    const { cgroup, filterFile, plan, lease } = this.#prepared;
    const launcher =
      lease === null
        ? { argv: [], binds: this.#binds(spec) }
        : revealSources(this.#binds(spec), this.#prepared.own.root);
    const words = [
      ...closing(inheritedDescriptors(STATUS_FD)),
      ...launcher.argv,
      ...plan.argv,
      ...(lease === null ? [] : asUser(lease.uid)),
      'bwrap',
      '--args',
      String(ARGUMENTS_FD),
      '--',
      ...innerWords(spec),
    ];
    const [first = 'bwrap', ...rest] = words;
    const args = bubblewrapArguments({
      binds: launcher.binds,
      network: this.#prepared.spec.network,
      cwd: posix.join(WORKSPACE, spec.cwd ?? '.'),
      env: spec.env,
      seccompFd: SECCOMP_FD,
      statusFd: STATUS_FD,
    });
    const status = new BubblewrapStatus();
    const before = cgroup?.counts() ?? null;
    const filter = openSync(filterFile, 'r');
    let ended: Ended;
    try {
      ended = await supervise(
        {
          argv: [first, ...rest],
          env: LAUNCHER_ENV,
          cwd: '/',
          streams: this.#prepared.streams,
          descriptors: ['pipe', filter, 'pipe'],
          ...(cgroup !== null && { around: (start) => cgroup.spawnInside(start) }),
        },
        spec,
        this.#prepared.spec.limits,
        {
          started: (child, pid) => {
            this.#tree.add(pid, true);
            const pipes: readonly unknown[] = child.stdio;
            const input = pipes[ARGUMENTS_FD] as Writable;
            input.on('error', () => {});
            input.end(args);
            status.listen(pipes[STATUS_FD] as Readable);
          },
          terminate: () => this.#terminate(status),
          end: async () => this.#endProgram(status),
        },
      );
    } finally {
      closeSync(filter);
    }
    if (ended.cause === 'error') return notStarted(describeErrno(ended.errno ?? 'EINVAL'), ended.durationMs);
    const after = cgroup?.counts() ?? null;
    const startFault = ended.cause === 'exit' ? whyNotStarted(ended, status) : null;
    if (startFault !== null) return notStarted(startFault, ended.durationMs);
    const code = status.exitCode;
    const signal = code === null ? ended.signal : signalOfStatus(code);
    const inner = { ...ended, exitCode: signal === null ? code : null, signal };
    return toResult(inner, nameLimit(inner, plan, before, after));
  }

  #binds(spec: ExecSpec): Bind[] {
    const { own, spec: sandbox } = this.#prepared;
    const node = nodeDirectory();
    const shared = [...sandbox.readOnlyPaths, ...(node === null ? [] : [node])];
    const home = homeTarget(spec.env['HOME'], shared);
    return [
      { source: own.etc, target: '/etc', writable: false },
      { source: own.tmp, target: '/tmp', writable: true },
      { source: own.home, target: HOME, writable: true },
      ...(home === null ? [] : [{ source: own.home, target: home, writable: true }]),
      ...shared.map((path) => ({ source: path, target: path, writable: false })),
      { source: sandbox.workspaceDir, target: WORKSPACE, writable: true },
    ];
  }

  /** SIGTERM to the program and all it started, not to bubblewrap, whose end would be theirs at once. */
  #terminate(status: BubblewrapStatus): void {
    const init = status.init?.pid;
    if (init === undefined) return;
    const inside = new Set([init]);
    const all = this.#tree.find();
    for (let grew = true; grew; ) {
      grew = false;
      for (const entry of all) {
        if (inside.has(entry.pid) || !inside.has(entry.parent)) continue;
        inside.add(entry.pid);
        grew = true;
      }
    }
    for (const entry of all) if (entry.pid !== init && inside.has(entry.pid)) signalProcess(entry, 'SIGTERM');
  }

  /**
   * The kernel ends a namespace as a whole: once its first process is gone, so is everything that
   * was inside. Only before there was a first process must the launchers be looked for.
   */
  async #endProgram(status: BubblewrapStatus): Promise<void> {
    const { init } = status;
    if (init === null) return this.#end();
    const deadline = performance.now() + NAMESPACE_DEADLINE_MS;
    while (readProcess(init.pid)?.startTime === init.startTime) {
      if (performance.now() > deadline) return this.#end();
      signalProcess(init, 'SIGKILL');
      await delay(1);
    }
  }

  async #end(): Promise<void> {
    this.#prepared.cgroup?.kill();
    await this.#tree.end();
  }
}

/** bubblewrap always sets PWD; a program that was not given it must not find it (DI-109). */
function innerWords(spec: ExecSpec): readonly string[] {
  if ('PWD' in spec.env || spec.argv[0].includes('=')) return spec.argv;
  return ['/usr/bin/env', '-u', 'PWD', '--', ...spec.argv];
}

/** Why the program never ran, or null when it did. Takes only the kind of error from a message, never its words. */
function whyNotStarted(ended: Ended, status: BubblewrapStatus): string | null {
  const words = ended.stderr.tail;
  if (status.exitCode === null) {
    if (ended.signal !== null) return null;
    const errno = errnoOfMessage(words);
    if (/^bwrap: execvp /m.test(words)) return describeErrno(errno ?? 'EACCES');
    if (/^bwrap: Can't chdir/m.test(words))
      return `${errno ?? 'ENOENT'}: the working directory cannot be entered`;
    // What is left are the launchers' own complaints, which name mounts and never a program's values.
    const line = words.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
    return `${errno ?? 'EPERM'}: the sandbox could not be set up (${line})`;
  }
  if (status.exitCode !== 126 && status.exitCode !== 127) return null;
  return /^(\/usr\/bin\/)?env: [^\n]*: [A-Z][a-z ]+\n$/.test(words)
    ? describeErrno(errnoOfMessage(words) ?? 'EACCES')
    : null;
}
