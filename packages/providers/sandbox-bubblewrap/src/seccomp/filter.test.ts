import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seccompFilter } from './filter.ts';
import { CLONE3, type Machine, syscallTables } from './syscalls.ts';

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const errno = (number: number): number => 0x00050000 + number;
const machines: readonly Machine[] = ['x64', 'arm64'];

/** Runs classic BPF as the kernel does, on one `struct seccomp_data`. */
function answer(program: Uint8Array, arch: number, number: number, args: readonly bigint[] = []): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, arch, true);
  for (const [index, arg] of args.entries()) data.setBigUint64(16 + 8 * index, arg, true);
  const code = new DataView(program.buffer, program.byteOffset, program.byteLength);
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const op = code.getUint16(at * 8, true);
    const value = code.getUint32(at * 8 + 4, true);
    const jump = (holds: boolean): void => {
      at += code.getUint8(at * 8 + (holds ? 2 : 3));
    };
    if (op === 0x20) accumulator = data.getUint32(value, true);
    else if (op === 0x15) jump(accumulator === value);
    else if (op === 0x35) jump(accumulator >= value);
    else if (op === 0x45) jump((accumulator & value) !== 0);
    else if (op === 0x06) return value;
    else throw new Error(`unknown instruction ${op}`);
  }
  throw new Error('the program ran past its end');
}

describe.each(machines)('seccomp filter on %s', (machine) => {
  const table = syscallTables[machine];
  const closed = seccompFilter(machine, false);
  const open = seccompFilter(machine, true);
  const run = (number: number, ...args: bigint[]): number => answer(closed, table.auditArch, number, args);

  it('every denied call is refused, with and without a network', () => {
    for (const number of table.denied) {
      expect(run(number)).toBe(errno(1));
      expect(answer(open, table.auditArch, number)).toBe(errno(1));
    }
    expect(run(CLONE3)).toBe(errno(38));
  });

  it('every other call is allowed, whatever its arguments', () => {
    const special = new Set([...table.denied, CLONE3, table.clone, table.socket, table.ioctl]);
    fc.assert(
      fc.property(
        fc.nat(600),
        fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { maxLength: 6 }),
        (number, args) => {
          fc.pre(!special.has(number));
          expect(run(number, ...args)).toBe(ALLOW);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('a call of another machine kills the process', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(600), (arch, number) => {
        fc.pre(arch !== table.auditArch);
        expect(answer(open, arch, number)).toBe(KILL);
      }),
    );
  });

  it('clone may make threads and processes and no namespace, whatever the upper half of the word says', () => {
    const namespaces = [
      0x00020000n,
      0x02000000n,
      0x04000000n,
      0x08000000n,
      0x10000000n,
      0x20000000n,
      0x40000000n,
    ];
    const thread = 0x003d0f00n;
    fc.assert(
      fc.property(fc.subarray(namespaces), fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }), (flags, upper) => {
        const word = flags.reduce((all, flag) => all | flag, thread | (upper << 32n));
        expect(run(table.clone, word)).toBe(flags.length === 0 ? ALLOW : errno(1));
      }),
    );
  });

  it('local sockets, TCP, UDP and the list of interfaces are there, with the network also ICMP, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.nat(45),
        fc.oneof(fc.nat(20), fc.constantFrom(58, 132, 255, 262)),
        (family, protocol) => {
          const isInternet = family === 2 || family === 10;
          const isLocal = family === 1 || (family === 16 && protocol === 0);
          const answerFor = (protocols: readonly number[]): number =>
            isLocal || (isInternet && protocols.includes(protocol)) ? ALLOW : errno(isInternet ? 93 : 97);
          const words = [BigInt(family), 1n, BigInt(protocol)] as const;
          expect(run(table.socket, ...words)).toBe(answerFor([0, 6, 17]));
          expect(answer(open, table.auditArch, table.socket, words)).toBe(answerFor([0, 6, 17, 1, 58]));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('typing into a terminal is refused', () => {
    expect(run(table.ioctl, 0n, 0x5412n)).toBe(errno(1));
    expect(run(table.ioctl, 0n, 0xffffffff_0000_5412n)).toBe(errno(1));
    expect(run(table.ioctl, 0n, 0x541cn)).toBe(errno(1));
    expect(run(table.ioctl, 0n, 0x5401n)).toBe(ALLOW);
  });
});

describe('seccomp filter on x64', () => {
  it('the second calling convention of the machine kills the process', () => {
    for (const number of [0x40000000, 0x40000000 + 101, 0x7fffffff])
      expect(answer(seccompFilter('x64', true), syscallTables.x64.auditArch, number)).toBe(KILL);
  });
});
