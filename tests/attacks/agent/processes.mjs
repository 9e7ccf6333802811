import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { run } from './loot.mjs';

/** System calls that Node does not make, by perl: numbers of x64 and arm64. */
const CALLS = {
  x64: { ptrace: 101, process_vm_readv: 310 },
  arm64: { ptrace: 117, process_vm_readv: 270 },
}[process.arch];
const SEIZE = 0x4206;
const PIDFD_OPEN = 434;
const PIDFD_GETFD = 438;

/** Reaching into other processes, signalling them, and outliving its own end. */
export function processAttacks({ pids, marker, address }) {
  const memory = Object.entries(pids).flatMap(([name, pid]) => [
    [`memory of the ${name}: file`, () => readMemory(pid)],
    // Seizing stops nobody, and ends with perl.
    [`memory of the ${name}: ptrace`, () => perl(`syscall(${CALLS.ptrace}, ${SEIZE}, ${pid}, 0, 0)`)],
    [`descriptor of the ${name}`, () => perl(`steal(${pid})`)],
    [
      `signal to the ${name}`,
      () => {
        process.kill(pid, name === 'decoy' ? 'SIGTERM' : 0);
        return pid;
      },
    ],
  ]);
  return {
    'memory of the decoy: process_vm_readv': () =>
      perl(
        `do { my $to = "\\0" x 64; my $ours = pack("QQ", unpack("Q", pack("p", $to)), 64); ` +
          `my $theirs = pack("QQ", ${address}, 64); ` +
          `syscall(${CALLS.process_vm_readv}, ${pids.decoy}, $ours, 1, $theirs, 1, 0) }`,
      ),
    ...Object.fromEntries(memory),
    // Whether it did is judged from outside, after this program has ended.
    'outlive: left behind by two forks': () => {
      run(
        '/bin/sh',
        '-c',
        `(setsid sh -c 'trap "" HUP TERM; sleep ${marker} & sleep ${marker}' >/dev/null 2>&1 &) &`,
      );
      return marker;
    },
    'outlive: with an empty environment': () => {
      const child = spawn('/bin/sh', ['-c', `trap '' HUP TERM INT; exec sleep ${marker}`], {
        detached: true,
        stdio: 'ignore',
        env: {},
        cwd: '/',
      });
      child.unref();
      if (child.pid === undefined) throw new Error('not started');
      return marker;
    },
  };
}

function readMemory(pid) {
  const line = readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .find((each) => each.includes('[stack]'));
  const [from = ''] = line?.split('-') ?? [];
  const fd = openSync(`/proc/${pid}/mem`, 'r');
  try {
    const [, to = ''] = line.split(/[- ]/);
    const bytes = Buffer.alloc(4_096);
    const read = readSync(fd, bytes, 0, bytes.length, BigInt(`0x${to}`) - 4_096n);
    return `${read} bytes at the end of ${from}`;
  } finally {
    closeSync(fd);
  }
}

/** An expression whose value is not -1. */
function perl(expression) {
  if (CALLS === undefined) throw new Error(`no numbers of system calls for ${process.arch}`);
  const steal = `sub steal { my $p = syscall(${PIDFD_OPEN}, $_[0], 0); return -1 if $p < 0; return syscall(${PIDFD_GETFD}, $p, 1, 0) }`;
  run('perl', '-e', `${steal} my $r = ${expression}; if ($r == -1) { print STDERR "$!"; exit 1 }`);
  return 'done';
}
