import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ExecResult } from '@palisade/contracts';
import { type Bench, type BenchOptions, livingWith, withSandbox } from '@palisade/contracts/testing';
import { describe, expect, it } from 'vitest';
import { bubblewrapSandboxes } from './bubblewrap-provider.ts';
import { bundledNode } from './system-view.ts';

const provider = bubblewrapSandboxes();
const probe = await provider.probe();
const why = probe.available ? '' : ` (skipped: ${probe.reason})`;
const hasPerl = existsSync('/usr/bin/perl');

const inSandbox = (test: (bench: Bench) => Promise<void>, options?: BenchOptions) => () =>
  withSandbox(provider, test, options);
const out = (result: ExecResult): string => Buffer.from(result.stdout).toString('utf8');
const MiB = 2 ** 20;

/** What an agent might try that means harm. Each of these has to fail. */
describe.skipIf(!probe.available)(`attacks from inside of bubblewrap${why}`, () => {
  it(
    'FF-064: no descriptor of any process inside takes a forged exit status',
    inSandbox(async ({ exec }) => {
      const forge = `for fd in /proc/[0-9]*/fd/*; do
        case $(readlink $fd) in */stdout|*/stderr|/dev/*) ;; *) echo '{ "exit-code": 0 }' > $fd;; esac
      done 2>/dev/null; exit 3`;
      expect(await exec(['/bin/sh', '-c', forge])).toMatchObject({ outcome: 'exited', exitCode: 3 });
    }),
  );

  it(
    'memory is not filled through files: there is one place for them, of the size of the limit',
    inSandbox(
      async ({ run }) => {
        const result = await run(
          `for at in /dev /dev/pts / /run /proc; do touch $at/file && echo "$at can be written to"; done 2>/dev/null
           echo kept > /dev/shm/file && cat /dev/shm/file; df -B1 --output=size /dev/shm | tail -1
           echo x > /dev/null && head -c 1 /dev/zero | wc -c`,
        );
        expect(out(result)).toBe(`kept\n${256 * MiB}\n1\n`);
      },
      { limits: { memoryBytes: 256 * MiB } },
    ),
  );

  it.skipIf(!hasPerl)(
    'nothing can be typed into a terminal (needs perl)',
    inSandbox(async ({ run }) => {
      for (const request of ['0x5412', '0x541c', '0x100005412'])
        expect(
          out(await run(`perl -e 'my $c = "x"; print ioctl(STDIN, ${request}, $c) ? "typed" : $!+0'`)),
          request,
        ).toBe('1');
      expect(out(await run('(: < /dev/tty) 2>&1'))).toMatch(/No such device/);
    }),
  );

  it(
    'an abstract socket of the host is out of reach',
    inSandbox(async ({ exec }) => {
      const name = `palisade-abstract-${process.pid}`;
      const server = createServer((socket) => socket.end('host')).listen(`\0${name}`);
      await once(server, 'listening');
      try {
        const script = `require('net').connect('\\0${name}').on('data',()=>console.log('reached')).on('error',(e)=>console.log(e.code))`;
        expect(out(await exec([process.execPath, '-e', script]))).toBe('ECONNREFUSED\n');
      } finally {
        server.close();
      }
    }),
  );

  it.skipIf(!hasPerl)(
    'the network, when allowed, is the internet and no other family of sockets (needs perl)',
    inSandbox(
      async ({ run, sandbox }) => {
        expect(sandbox.posture).toContain('network-host');
        const answers: Record<string, string> = {
          '1, 1, 0': 'allowed', // local
          '2, 1, 6': 'allowed', // TCP
          '10, 2, 17': 'allowed', // UDP over IPv6
          '16, 3, 0': 'allowed', // the list of interfaces
          '2, 3, 255': '93', // raw
          '40, 1, 0': '97', // vsock
          '17, 3, 768': '97', // packet
          '38, 5, 0': '97', // kernel crypto
        };
        for (const [socket, answer] of Object.entries(answers))
          expect(
            out(await run(`perl -MSocket -e 'print socket(my $s, ${socket}) ? "allowed" : $!+0'`)),
            socket,
          ).toBe(answer);
      },
      { network: true },
    ),
  );

  it(
    'FF-063: a fork bomb ends at its time, and nothing of it is left',
    inSandbox(
      async ({ exec }) => {
        const token = `47${process.pid}${Math.floor(Math.random() * 1e6)}`;
        const bomb = `bomb() { bomb & bomb & setsid sleep ${token} & sleep ${token}; }; trap '' TERM; bomb`;
        const startedAt = performance.now();
        const result = await exec(['/bin/sh', '-c', bomb], { timeoutMs: 3_000, graceMs: 100 });
        expect(['timed_out', 'limit', 'exited']).toContain(result.outcome);
        expect(performance.now() - startedAt).toBeLessThan(30_000);
        expect(livingWith(token)).toEqual([]);
      },
      { limits: { processes: 64 } },
    ),
  );

  it.skipIf(bundledNode() === null)(
    'of the directory of the running Node, which may be a home, nothing else is seen',
    inSandbox(async ({ run }) => {
      expect(out(await run(`ls -A '${dirname(process.execPath)}'`))).toBe('node\n');
    }),
  );

  it.skipIf(!hasPerl || process.arch !== 'x64')(
    'no key of the host can be asked for, whatever the descriptor (needs perl on x64)',
    inSandbox(async ({ run }) => {
      // add_key, request_key, keyctl: refused before the kernel looks at any argument.
      for (const call of ['248, $t, $t, $t, 1, -3', '249, $t, $t, 0, -3', '250, 0, -3, 0'])
        expect(
          out(await run(`perl -e 'my $t = "user"; print syscall(${call}) == -1 ? $!+0 : "allowed"'`)),
          call,
        ).toBe('1');
    }),
  );
});

const SUPERVISOR = fileURLToPath(new URL('../test/unprivileged-process.ts', import.meta.url));
const asNobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups', '--'];
const nobodyCan =
  process.getuid?.() === 0 &&
  probe.available &&
  spawnSync('setpriv', [...asNobody, process.execPath, '--check', SUPERVISOR]).status === 0;

it.skipIf(!nobodyCan)(
  'FF-019: what a program closed to its owner is removed by a supervisor without root',
  () => {
    const ended = spawnSync('setpriv', [...asNobody, process.execPath, SUPERVISOR], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
    // Where users may make no namespaces there is no such supervisor.
    if (ended.stderr.includes('could not make a sandbox')) return;
    expect([ended.stderr, ended.stdout]).toEqual(['', JSON.stringify({ exitCode: 0, left: ['beginning'] })]);
  },
);
