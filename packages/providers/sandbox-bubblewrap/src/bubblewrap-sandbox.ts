import { closeSync, openSync, rmSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecResult, ExecSpec } from '@palisade/contracts';
import { readProcess, signalProcess } from '@palisade/process';
import {
  describeErrno,
  type Ended,
  errnoOfMessage,
  faultOfEnv,
  notStarted,
  removeOwn,
  signalOfStatus,
  supervise,
  SupervisedSandbox,
  type Supervision,
} from '@palisade/sandbox-process';
import { bubblewrapArguments, homeTarget } from './bubblewrap-arguments.ts';
import { BubblewrapStatus } from './bubblewrap-status.ts';
import { explainDenial } from './explain-denial.ts';
import { LAUNCHER_ENV } from './find-bubblewrap.ts';
import { closing, inheritedDescriptors } from './inherited-descriptors.ts';
import { asUser } from './launcher.ts';
import { MountView } from './mount-view.ts';
import { type Bind, bundledNode, HOME, type OwnDirectories, WORKSPACE } from './system-view.ts';
import type { UidLease } from './uid-lease.ts';

/** What the provider prepared for a sandbox. */
export interface Prepared extends Supervision {
  readonly own: OwnDirectories;
  readonly filterFile: string;
  readonly lease: UidLease | null;
}

/** How long a namespace may take to end before its processes are looked for one by one. */
const NAMESPACE_DEADLINE_MS = 5_000;
/** Descriptors of bubblewrap, in the order they are passed. */
const ARGUMENTS_FD = 3;
const SECCOMP_FD = 4;
const STATUS_FD = 5;

/** One sandbox: each program gets namespaces of its own over the same workspace, home and /tmp. */
export class BubblewrapSandbox extends SupervisedSandbox {
  readonly workspacePath = WORKSPACE;
  readonly uid: number | null;
  readonly #prepared: Prepared;
  #view: MountView | null = null;

  constructor(prepared: Prepared) {
    super(prepared);
    this.#prepared = prepared;
    this.uid = prepared.lease?.uid ?? null;
  }

  /** Where this machine finds the sandbox's /tmp. */
  get tmpDir(): string {
    return this.#prepared.own.tmp;
  }

  explain(text: string): string | null {
    return explainDenial(text, this.#prepared.spec.network);
  }

  protected override release(): void {
    this.#view?.close();
    this.#prepared.lease?.release();
    rmSync(this.#prepared.filterFile, { force: true });
    removeOwn(this.#prepared.own.root);
  }

  protected override async run(spec: ExecSpec): Promise<ExecResult> {
    const { cgroup, filterFile, plan, lease } = this.#prepared;
    const view = lease === null ? null : await this.#openView();
    const words = [
      ...closing(inheritedDescriptors(STATUS_FD)),
      ...plan.argv,
      ...(lease === null ? [] : asUser(lease.uid, view)),
      'bwrap',
      '--args',
      String(ARGUMENTS_FD),
      '--',
      ...innerWords(spec),
    ];
    const [first = 'bwrap', ...rest] = words;
    const args = bubblewrapArguments({
      binds: this.#binds(spec).map((bind) => view?.reach(bind) ?? bind),
      network: this.#prepared.spec.network,
      memoryBytes: this.#prepared.spec.limits.memoryBytes,
      cwd: posix.join(WORKSPACE, spec.cwd ?? '.'),
      env: spec.env,
      seccompFd: SECCOMP_FD,
      statusFd: STATUS_FD,
    });
    const status = new BubblewrapStatus();
    const resultOf = this.watchLimits();
    const filter = openSync(filterFile, 'r');
    let ended: Ended;
    let isLimited = true;
    try {
      ended = await supervise(
        {
          argv: [first, ...rest],
          env: LAUNCHER_ENV,
          cwd: '/',
          streams: this.#prepared.streams,
          descriptors: ['pipe', filter, 'pipe'],
        },
        spec,
        this.#prepared.spec.limits,
        {
          started: (child, pid) => {
            this.tree.add(pid, true);
            const pipes: readonly unknown[] = child.stdio;
            status.listen(pipes[STATUS_FD] as Readable);
            // bubblewrap starts nothing before it has its arguments, and until then the launchers have this pid.
            isLimited = cgroup?.adopt(pid) ?? true;
            if (!isLimited) child.kill('SIGKILL');
            const input = pipes[ARGUMENTS_FD] as Writable;
            // One that has ended already has said why on its own.
            input.on('error', () => {});
            input.end(args);
          },
          terminate: () => this.#terminate(status),
          end: async () => this.#endProgram(status),
        },
      );
    } finally {
      closeSync(filter);
    }
    if (ended.cause === 'error') return notStarted(describeErrno(ended.errno ?? 'EINVAL'), ended.durationMs);
    if (!isLimited) return notStarted('EPERM: the sandbox could not be put under its limits');
    const startFault = ended.cause === 'exit' ? whyNotStarted(ended, status) : null;
    if (startFault !== null) return notStarted(startFault, ended.durationMs);
    const code = status.exitCode;
    const signal = code === null ? ended.signal : signalOfStatus(code);
    const inner = { ...ended, exitCode: signal === null ? code : null, signal };
    return resultOf(inner);
  }

  /** The way to what only root may reach: made for the first program, and anew should it be gone. */
  async #openView(): Promise<MountView | null> {
    const { own, spec } = this.#prepared;
    const sources = [own.root, spec.workspaceDir, ...this.#shared()];
    if (this.#view?.shows(sources) === true) return this.#view;
    this.#view?.close();
    return (this.#view = await MountView.open(sources, join(own.root, 'binds')));
  }

  /** Host paths that are seen read-only where they are. */
  #shared(): string[] {
    const node = bundledNode();
    return [...this.#prepared.spec.readOnlyPaths, ...(node === null ? [] : [node])];
  }

  #binds(spec: ExecSpec): Bind[] {
    const { own, spec: sandbox } = this.#prepared;
    const shared = this.#shared();
    const home = homeTarget(spec.env['HOME'], shared);
    return [
      { source: own.etc, target: '/etc', writable: false },
      ...own.etcFolders.map((name) => ({ source: `/etc/${name}`, target: `/etc/${name}`, writable: false })),
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
    const all = this.tree.find();
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
    if (init === null) return this.endAll();
    const deadline = performance.now() + NAMESPACE_DEADLINE_MS;
    while (readProcess(init.pid)?.startTime === init.startTime) {
      if (performance.now() > deadline) return this.endAll();
      signalProcess(init, 'SIGKILL');
      await delay(1);
    }
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
  return faultOfEnv(words);
}
