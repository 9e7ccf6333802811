import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { type ExecResult, looksLikeNoNetwork } from '@palisade/contracts';
import { type Bench, type BenchOptions, withSandbox } from '@palisade/contracts/testing';
import { describe, expect, it } from 'vitest';
import { bubblewrapSandboxes } from './bubblewrap-provider.ts';
import { explainDenial } from './explain-denial.ts';
import { bundledNode } from './system-view.ts';

const provider = bubblewrapSandboxes();
const probe = await provider.probe();
const isRoot = process.getuid?.() === 0;
const why = probe.available ? '' : ` (skipped: ${probe.reason})`;

const inSandbox = (test: (bench: Bench) => Promise<void>, options?: BenchOptions) => () =>
  withSandbox(provider, test, options);
const out = (result: ExecResult): string => Buffer.from(result.stdout).toString('utf8');
const err = (result: ExecResult): string => Buffer.from(result.stderr).toString('utf8');
/**
 * The names a directory of the sandbox holds: its own, and what leads to the running Node, which is
 * shown where it lies, be that below a home or /tmp.
 */
const shown = (directory: string, ...own: string[]): string[] => {
  const bundled = bundledNode();
  const names = bundled?.startsWith(`${directory}/`)
    ? [...own, bundled.slice(directory.length + 1).split('/')[0] ?? '']
    : own;
  return [...new Set(names)].sort();
};
/** Runs JavaScript inside; the program prints one JSON value. */
const node = async (bench: Bench, script: string): Promise<unknown> => {
  const result = await bench.exec([process.execPath, '-e', script]);
  expect(err(result)).toBe('');
  return JSON.parse(out(result)) as unknown;
};

describe.skipIf(!probe.available)(`bubblewrap boundary${why}`, () => {
  it(
    'the users, the home directories and the temporary files of the host are not there',
    inSandbox(async ({ run }) => {
      const dir = mkdtempSync(join(tmpdir(), 'palisade-host-secret-'));
      chmodSync(dir, 0o755);
      writeFileSync(join(dir, 'secret'), 'host secret');
      chmodSync(join(dir, 'secret'), 0o644);
      try {
        const result = await run(
          `cat ${dir}/secret /etc/shadow /etc/ssh/* /root/.* /etc/ssl/private/* 2>/dev/null
           ls -A /root /home /tmp /run /var /workspace; cut -d: -f1 /etc/passwd`,
        );
        const listing = [
          ['/home', ...shown('/home', 'agent')],
          ['/root', ...shown('/root')],
          ['/run', ...shown('/run')],
          ['/tmp', ...shown('/tmp')],
          ['/var', ...shown('/var', 'tmp')],
          ['/workspace'],
        ].map(([directory, ...names]) => `${directory}:\n${names.map((name) => `${name}\n`).join('')}`);
        expect(out(result)).toBe(`${listing.join('\n')}agent\nnobody\n`);
      } finally {
        rmSync(dir, { recursive: true });
      }
    }),
  );

  it(
    'the system cannot be written to, and neither can the root directory',
    inSandbox(async ({ run }) => {
      for (const path of [
        '/usr/x',
        '/usr/bin/sh',
        '/etc/passwd',
        '/etc/x',
        '/x',
        '/bin/x',
        '/var/x',
        '/run/x',
      ]) {
        const result = await run(`echo x > ${path}`);
        expect(result.exitCode, path).not.toBe(0);
        expect(err(result), path).toMatch(/Read-only file system|Permission denied/);
      }
      expect(statSync('/usr/bin/sh').size).toBeGreaterThan(1000);
    }),
  );

  it(
    'no process of the host is seen, and none can be signalled',
    inSandbox(async ({ run }) => {
      const result = await run(
        `ls /proc | grep -c '^[0-9]'; kill -0 ${process.pid} 2>&1; cat /proc/${process.pid}/environ /proc/1/environ 2>/dev/null | tr '\\0' '\\n' | grep -v '^PATH=\\|^LC_ALL='`,
      );
      const [count, ...rest] = out(result).trim().split('\n');
      expect(Number(count)).toBeLessThan(8);
      expect(rest.join('')).toMatch(/No such process/);
      expect(rest.join('')).not.toContain(process.env['HOME'] ?? 'no home');
    }),
  );

  it(
    'a loopback server of the host is out of reach, and the refusal says what it means (FF-136)',
    inSandbox(async (bench) => {
      const server = createServer((socket) => socket.end('host')).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : 0;
      try {
        const seen = await node(
          bench,
          `const s=require('net').connect(${port},'127.0.0.1');
           s.on('data',()=>console.log('"reached"')); s.on('error',e=>console.log(JSON.stringify(e.message)))`,
        );
        expect(seen).toMatch(/ECONNREFUSED/);
        expect(explainDenial(String(seen))).toContain("localhost is the sandbox's own");
        expect(await node(bench, `console.log(JSON.stringify(Object.keys(os.networkInterfaces())))`)).toEqual(
          ['lo'],
        );
      } finally {
        server.close();
      }
    }),
  );

  it(
    'a server on localhost works inside, of both internet families and of UDP',
    inSandbox(async (bench) => {
      const seen = await node(
        bench,
        `const net=require('net'),udp=require('dgram');
         const tcp=(host)=>new Promise((ok,no)=>{const s=net.createServer((c)=>c.end('tcp '+host)).listen(0,host,()=>{
           const c=net.connect(s.address().port,host);c.on('data',(d)=>{ok(String(d));s.close()});c.on('error',no)}).on('error',no)});
         const datagram=()=>new Promise((ok,no)=>{const s=udp.createSocket('udp4').bind(0,'127.0.0.1',()=>s.send('udp',s.address().port,'127.0.0.1'));
           s.on('message',(m)=>{ok(String(m));s.close()});s.on('error',no)});
         (async()=>console.log(JSON.stringify([await tcp('127.0.0.1'),await tcp('::1').catch((e)=>e.code),await datagram()])))()`,
      );
      // A machine without IPv6 has no ::1 in any of its networks.
      expect(seen).toEqual([
        'tcp 127.0.0.1',
        expect.stringMatching(/^tcp ::1$|^EADDRNOTAVAIL$|^EAFNOSUPPORT$/),
        'udp',
      ]);
    }),
  );

  it(
    'there is no way out: no route, no address of the host, no raw, packet or vsock socket',
    inSandbox(async (bench) => {
      const hosts = Object.values(networkInterfaces())
        .flatMap((list) => list ?? [])
        .filter((one) => !one.internal && one.family === 'IPv4')
        .map((one) => one.address);
      const seen = (await node(
        bench,
        `const net=require('net');const hosts=${JSON.stringify(['192.0.2.1', '8.8.8.8', ...hosts])};
         Promise.all(hosts.map((host)=>new Promise((ok)=>{const s=net.connect({host,port:80,timeout:3000});
           s.on('connect',()=>ok('reached'));s.on('timeout',()=>ok('sent'));s.on('error',(e)=>ok(e.code))}))).then((all)=>console.log(JSON.stringify(all)))`,
      )) as string[];
      expect(new Set(seen)).toEqual(new Set(['ENETUNREACH']));
      expect(out(await bench.run('tail -n +2 /proc/net/route'))).toBe('');
    }),
  );

  it.skipIf(!existsSync('/usr/bin/perl'))(
    'sockets of other families and protocols are refused (needs perl)',
    inSandbox(async ({ run }) => {
      const answers: Record<string, string> = {
        '2, 1, 6': 'allowed', // TCP
        '10, 2, 17': 'allowed', // UDP over IPv6
        '2, 3, 1': '93', // raw ICMP
        '2, 1, 132': '93', // SCTP
        '2, 1, 262': '93', // MPTCP
        '17, 3, 768': '97', // packet
        '40, 1, 0': '97', // vsock
        '31, 1, 3': '97', // bluetooth
        '38, 5, 0': '97', // kernel crypto
        '16, 3, 9': '97', // netlink audit
      };
      for (const [socket, answer] of Object.entries(answers))
        expect(
          out(await run(`perl -MSocket -e 'print socket(my $s, ${socket}) ? "allowed" : $!+0'`)),
          socket,
        ).toBe(answer);
    }),
  );

  it(
    'a name cannot be resolved, and the refusal says what it means (FF-136)',
    inSandbox(async (bench) => {
      const seen = await node(
        bench,
        `require('dns').lookup('example.com',(e)=>console.log(JSON.stringify(e?e.message:'resolved')))`,
      );
      expect(looksLikeNoNetwork(String(seen)), String(seen)).toBe(true);
    }),
  );

  it(
    'mounts, namespaces and tracing are refused',
    inSandbox(async ({ run }) => {
      const attempts = [
        'unshare --user true',
        'unshare --mount true',
        'unshare --net true',
        'mount -t tmpfs none /tmp',
        'mount --bind /workspace /usr',
        'nsenter --target 1 --mount true',
        '/usr/sbin/chroot / true',
        'bwrap --ro-bind / / true',
        'hostname other',
      ];
      for (const attempt of attempts) {
        const result = await run(attempt);
        expect(result.exitCode, attempt).not.toBe(0);
        expect(err(result), attempt).toMatch(
          /not permitted|denied|must be root|superuser|Permission|No permissions/i,
        );
      }
    }),
  );

  it.skipIf(process.arch !== 'x64' || !existsSync('/usr/bin/perl'))(
    'ptrace, keyctl, bpf, io_uring and a namespace by clone are refused, and clone3 is unknown (needs perl on x64)',
    inSandbox(async ({ run }) => {
      const refused = [
        'syscall(101, 0, 0, 0, 0)', // ptrace(PTRACE_TRACEME)
        'syscall(250, 0, 0, 0, 0, 0)', // keyctl
        'syscall(321, 0, 0, 0)', // bpf
        'syscall(425, 1, 0)', // io_uring_setup
        'syscall(56, 0x10000011, 0, 0, 0, 0)', // clone(CLONE_NEWUSER | SIGCHLD)
      ];
      for (const call of refused) {
        const result = await run(`perl -e 'print ${call} == -1 ? $!+0 : "allowed"'`);
        expect(out(result), call).toBe('1');
      }
      expect(out(await run(`perl -e 'print syscall(435, 0, 0) == -1 ? $!+0 : "allowed"'`))).toBe('38');
    }),
  );

  it(
    'a set-user-id program gains nothing',
    inSandbox(async ({ run }) => {
      const result = await run(
        'cp /bin/sh ./own; chmod 4755 ./own; ./own -pc "id -u; grep CapEff /proc/self/status"; su -c id </dev/null 2>&1; true',
      );
      expect(out(result)).toMatch(/^1000\nCapEff:\t0{16}\n/);
      expect(out(result)).not.toMatch(/uid=0/);
    }),
  );

  it(
    'a symlink in the workspace leads to the sandbox and not to the host',
    inSandbox(async ({ run, workspaceDir }) => {
      const outside = mkdtempSync(join(tmpdir(), 'palisade-outside-'));
      chmodSync(outside, 0o777);
      try {
        symlinkSync(outside, join(workspaceDir, 'link'));
        symlinkSync('/etc/shadow', join(workspaceDir, 'shadow'));
        symlinkSync('../../../../../../..', join(workspaceDir, 'up'));
        const result = await run('echo x > link/file; cat shadow; ls up/root; cd ..; pwd; ls');
        expect(readdirSync(outside)).toEqual([]);
        expect(err(result)).toMatch(/link\/file/);
        expect(out(result)).not.toMatch(/root:/);
      } finally {
        rmSync(outside, { recursive: true });
      }
    }),
  );

  it(
    'a working directory that is a symlink out of the workspace starts nothing on the host side',
    inSandbox(async ({ run, workspaceDir }) => {
      symlinkSync(tmpdir(), join(workspaceDir, 'away'));
      writeFileSync(join(tmpdir(), `palisade-${process.pid}`), '');
      try {
        const result = await run('LC_ALL=C ls -A', { cwd: 'away' });
        expect(
          out(result)
            .split('\n')
            .filter((name) => name !== ''),
        ).toEqual(shown(tmpdir()));
      } finally {
        rmSync(join(tmpdir(), `palisade-${process.pid}`));
      }
    }),
  );

  it(
    'an environment meant for the dynamic linker never reaches the launchers',
    inSandbox(async ({ exec, workspaceDir, sandbox }) => {
      // A library that is no library: each program that is told to load it complains.
      writeFileSync(join(workspaceDir, 'evil.so'), 'not a library');
      chmodSync(join(workspaceDir, 'evil.so'), 0o755);
      const hostPath = join(workspaceDir, 'evil.so');
      const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', BASH_ENV: hostPath, ENV: hostPath };
      const outside = await exec(['/bin/true'], { env: { ...env, LD_PRELOAD: hostPath } });
      // Only the program itself (behind `env`) may see the variable, and inside that host path does not exist.
      expect(err(outside).match(/cannot be preloaded/g)?.length ?? 0).toBeLessThanOrEqual(2);
      expect(err(outside)).not.toMatch(/file too short|invalid ELF/);
      const inside = await exec(['/bin/true'], {
        env: { ...env, LD_PRELOAD: `${sandbox.workspacePath}/evil.so` },
      });
      expect(err(inside)).toMatch(/evil\.so/);
    }),
  );

  it(
    'no descriptor of the supervisor is open inside',
    inSandbox(async ({ run }) => {
      // ls itself opens the directory it lists, as 3.
      const result = await run('ls /proc/self/fd | tr "\\n" " "');
      expect(out(result)).toBe('0 1 2 3 ');
    }),
  );

  it(
    'programs of one sandbox share their home and /tmp, and nothing of it stays behind',
    inSandbox(async ({ exec, sandbox, spec }) => {
      const env = { PATH: '/usr/bin:/bin', HOME: '/home/agent' };
      await exec(['sh', '-c', 'echo kept > $HOME/a; echo kept > /tmp/b'], { env });
      expect(out(await exec(['sh', '-c', 'cat $HOME/a /tmp/b'], { env }))).toBe('kept\nkept\n');
      // Nothing may hide what is shared, and Node is where this checkout is.
      const moved = { ...env, HOME: process.execPath.startsWith('/root/') ? '/srv' : '/root' };
      expect(
        out(await exec(['sh', '-c', 'cat ~/a; echo more > ~/c && cat /home/agent/c'], { env: moved })),
      ).toBe('kept\nmore\n');
      await sandbox.destroy();
      expect(readdirSync(spec.stateDir)).toEqual(['beginning']);
    }),
  );

  it(
    'the running Node is there for agents that need it',
    inSandbox(async (bench) => {
      expect(await node(bench, 'console.log(JSON.stringify(process.version))')).toBe(process.version);
    }),
  );

  it.skipIf(!isRoot)(
    'two sandboxes of a root supervisor run as two users, neither of which is root',
    inSandbox(async ({ sandbox, run, workspaceDir }) => {
      await withSandbox(provider, async (other) => {
        expect(sandbox.uid).not.toBe(0);
        expect(other.sandbox.uid).not.toBe(sandbox.uid);
        await run('echo x > file; umask 077; echo x > private');
        expect(statSync(join(workspaceDir, 'file')).uid).toBe(sandbox.uid);
        expect(statSync(join(workspaceDir, 'private')).uid).toBe(sandbox.uid);
      });
    }),
  );

  it('a supervisor that lets nobody read its files by default makes sandboxes that work', async () => {
    const before = process.umask(0o077);
    try {
      await withSandbox(provider, async ({ run }) => {
        const result = await run('id -un; cat /dev/stdin; echo x > ./out; cat /etc/passwd | wc -l', {
          stdin: Buffer.from('input\n'),
        });
        expect(err(result)).toBe('');
        expect(out(result)).toBe('agent\ninput\n2\n');
      });
    } finally {
      process.umask(before);
    }
  });

  it.skipIf(!isRoot)('a workspace below a directory only root may enter works', async () => {
    await withSandbox(
      provider,
      async ({ run, workspaceDir, spec }) => {
        chmodSync(join(workspaceDir, '..'), 0o700);
        expect(out(await run('echo hidden > file; cat file'))).toBe('hidden\n');
        expect(readFileSync(join(workspaceDir, 'file'), 'utf8')).toBe('hidden\n');
        expect(readFileSync('/proc/mounts', 'utf8')).not.toContain('/run/palisade/view');
        mkdirSync(join(spec.stateDir, 'more'));
      },
      {},
    );
  });
});
