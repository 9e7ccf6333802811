import { CLONE3, type Machine, syscallTables } from './syscalls.ts';

/*
 * A seccomp filter as classic BPF, written without a library (linux/filter.h, seccomp(2)). The
 * program sees `struct seccomp_data`: the number at 0, the machine at 4, and the arguments as
 * 64-bit words from 16 on. The arguments tested here are ints or 32-bit flag words to the kernel,
 * so that their low half is the whole of them.
 *
 * What it answers, in order:
 *   another machine, or x32          the process is killed: its numbers mean something else
 *   clone3                           ENOSYS
 *   clone with a namespace flag      EPERM
 *   ioctl TIOCSTI, TIOCLINUX         EPERM: they type into a terminal
 *   socket                           AF_UNIX, and TCP and UDP of AF_INET and AF_INET6, also when the network
 *                                    is off: the sandbox has one of its own with a loopback only, and
 *                                    tests start servers there; ICMP, as `ping` uses it, when it is on;
 *                                    routing netlink, which lists interfaces; for any other family
 *                                    EAFNOSUPPORT, for any other protocol EPROTONOSUPPORT. Allowing the
 *                                    network is not to allow vsock, which talks to the machine's own host
 *   the denied list                  EPERM
 *   everything else                  allowed
 */

const LOAD = 0x20; // BPF_LD | BPF_W | BPF_ABS
const IF_EQUAL = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const IF_AT_LEAST = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const IF_ANY_BIT = 0x45; // BPF_JMP | BPF_JSET | BPF_K
const RETURN = 0x06; // BPF_RET | BPF_K

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const errno = (number: number): number => 0x00050000 | number;
const EPERM = errno(1);
const ENOSYS = errno(38);
const EPROTONOSUPPORT = errno(93);
const EAFNOSUPPORT = errno(97);

const NUMBER = 0;
const MACHINE = 4;
const argument = (index: number): number => 16 + 8 * index;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NAMESPACE_FLAGS = 0x7e020000;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
/** The default of the socket's type, TCP, UDP. Rarer protocols have their code loaded on demand and are little tested. */
const INTERNET_PROTOCOLS = [0, 6, 17];
/** IPPROTO_ICMP and IPPROTO_ICMPV6. Raw sockets of them need a capability no program has. */
const ECHO_PROTOCOLS = [1, 58];
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

interface Instruction {
  readonly code: number;
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly value: number;
}
type Block = readonly Instruction[];

const load = (offset: number): Instruction => ({ code: LOAD, ifTrue: 0, ifFalse: 0, value: offset });
const answer = (value: number): Instruction => ({ code: RETURN, ifTrue: 0, ifFalse: 0, value });
/** Runs `block` when the test holds and steps over it otherwise. */
const when = (code: number, value: number, block: Block): Block => [
  { code, ifTrue: 0, ifFalse: block.length, value },
  ...block,
];
/** A block for one system call. It always answers, because it leaves no number behind to test on. */
const onCall = (number: number, block: Block): Block => when(IF_EQUAL, number, block);

/** The filter for a machine as the bytes the kernel takes. `network`: programs are in the host's network. */
export function seccompFilter(machine: Machine, network: boolean): Uint8Array {
  const table = syscallTables[machine];
  const protocols = network ? [...INTERNET_PROTOCOLS, ...ECHO_PROTOCOLS] : INTERNET_PROTOCOLS;
  const program: Block = [
    load(MACHINE),
    { code: IF_EQUAL, ifTrue: 1, ifFalse: 0, value: table.auditArch },
    answer(KILL_PROCESS),
    load(NUMBER),
    ...(table.foreignFrom === null ? [] : when(IF_AT_LEAST, table.foreignFrom, [answer(KILL_PROCESS)])),
    ...onCall(CLONE3, [answer(ENOSYS)]),
    ...onCall(table.clone, [
      load(argument(0)),
      ...when(IF_ANY_BIT, NAMESPACE_FLAGS, [answer(EPERM)]),
      answer(ALLOW),
    ]),
    ...onCall(table.ioctl, [
      load(argument(1)),
      ...when(IF_EQUAL, TIOCSTI, [answer(EPERM)]),
      ...when(IF_EQUAL, TIOCLINUX, [answer(EPERM)]),
      answer(ALLOW),
    ]),
    ...onCall(table.socket, [
      load(argument(0)),
      ...when(IF_EQUAL, AF_UNIX, [answer(ALLOW)]),
      ...[AF_INET, AF_INET6].flatMap((family) =>
        when(IF_EQUAL, family, [
          load(argument(2)),
          ...protocols.flatMap((protocol) => when(IF_EQUAL, protocol, [answer(ALLOW)])),
          answer(EPROTONOSUPPORT),
        ]),
      ),
      ...when(IF_EQUAL, AF_NETLINK, [load(argument(2)), ...when(IF_EQUAL, NETLINK_ROUTE, [answer(ALLOW)])]),
      answer(EAFNOSUPPORT),
    ]),
    ...table.denied.flatMap((number) => onCall(number, [answer(EPERM)])),
    answer(ALLOW),
  ];
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [index, { code, ifTrue, ifFalse, value }] of program.entries()) {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, ifTrue);
    bytes.setUint8(index * 8 + 3, ifFalse);
    bytes.setUint32(index * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}

/** True when this machine's system calls are known. */
export function isKnownMachine(name: string): name is Machine {
  return name === 'x64' || name === 'arm64';
}
