import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { limits, type SandboxSpec } from '@palisade/contracts';
import { type Bench, withSandbox } from '@palisade/contracts/testing';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { startEngine, whyNoEngine } from '../test/private-engine.ts';
import { ATTEMPT_LABEL } from './container-options.ts';
import { dockerSandboxes } from './docker-provider.ts';
import { ownDirectory } from './own-directory.ts';

const PINNED = `sha256:${'0'.repeat(64)}`;

describe('a docker sandbox that cannot be', () => {
  const probe = (env: Readonly<Record<string, string>>) => dockerSandboxes(env).probe();

  it('without an image is missing, and an engine is not even asked', async () => {
    expect(await probe({ DOCKER_HOST: 'ssh://nowhere' })).toMatchObject({
      available: false,
      missing: true,
      next: expect.stringContaining('PALISADE_DOCKER_IMAGE'),
    });
  });

  it('DI-150: an image that is not pinned by its digest is refused', async () => {
    for (const image of ['debian', 'debian:12', 'debian@sha256:12', `${PINNED}0`, `a b@${PINNED}`, '-x'])
      expect(await probe({ PALISADE_DOCKER_IMAGE: image }), image).toMatchObject({
        available: false,
        reason: expect.stringContaining('not pinned'),
      });
  });

  it('DI-150: an allowed tag is still a name, and no other path of the engine', async () => {
    const env = { PALISADE_DOCKER_ALLOW_UNPINNED: '1', DOCKER_HOST: 'unix:///nonexistent/docker.sock' };
    for (const [image, reason] of [
      ['registry.example:5000/team/agents:1.2', /no usable answer to ping/],
      ['agents', /no usable answer to ping/],
      ['../containers/json?x=', /not pinned/],
      ['agents:1/../../x', /not pinned/],
      ['', /no image is named/],
    ] as const)
      expect(await probe({ ...env, PALISADE_DOCKER_IMAGE: image }), image).toMatchObject({
        available: false,
        reason: expect.stringMatching(reason),
      });
  });

  it('says what is wrong with the engine, and what to do', async () => {
    for (const [host, reason, next] of [
      ['ssh://ann@engine', /ssh:\/\/ is not supported/, /ssh -N -L/],
      ['tcp://engine.example:2375', /without TLS/, /DOCKER_CERT_PATH/],
      ['unix:///nonexistent/docker.sock', /no usable answer to ping \(ENOENT\)/, /start the Docker engine/],
    ] as const) {
      const found = await probe({ PALISADE_DOCKER_IMAGE: PINNED, DOCKER_HOST: host });
      if (found.available) throw new Error('available');
      expect(found.missing).not.toBe(true);
      expect([found.reason, found.next]).toEqual([
        expect.stringMatching(reason),
        expect.stringMatching(next),
      ]);
    }
  });

  it('an attempt that never had a container is reaped without an engine', async () => {
    const provider = dockerSandboxes({ DOCKER_HOST: 'unix:///nonexistent/docker.sock' });
    await provider.reap('att_1', '/nonexistent');
  });
});

const skip = whyNoEngine();
const engine = skip === null ? await startEngine() : null;
afterAll(() => engine?.stop());
const provider = dockerSandboxes(engine?.env ?? {});
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
const inSandbox = (test: (bench: Bench) => Promise<void>) => () => withSandbox(provider, test);
const containersOf = (attemptId: string) => engine?.client.list(`${ATTEMPT_LABEL}=${attemptId}`);

function scratch(): string {
  const dir = mkdtempSync(join(tmpdir(), 'palisade-docker-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function specIn(dir: string): SandboxSpec {
  const workspaceDir = join(dir, 'workspace');
  mkdirSync(workspaceDir, { recursive: true });
  return {
    attemptId: `att_${crypto.randomUUID()}`,
    workspaceDir,
    stateDir: join(dir, 'state'),
    readOnlyPaths: [],
    network: false,
    limits,
  };
}

/** A socket in front of the engine that can be cut. */
async function cuttable(socket: string): Promise<{ readonly host: string; readonly cut: () => void }> {
  const path = join(scratch(), 'engine.sock');
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(socket);
    for (const side of [near, far]) open.add(side.on('error', () => {}));
    near.pipe(far).pipe(near);
  });
  server.listen(path);
  await once(server, 'listening');
  const cut = (): void => {
    server.close();
    for (const side of open) side.destroy();
  };
  onTestFinished(cut);
  return { host: `unix://${path}`, cut };
}

describe.skipIf(engine === null)(`docker boundary${skip === null ? '' : ` (skipped: ${skip})`}`, () => {
  it(
    'DI-152: a container is hardened, sees its own directories alone, and the engine keeps no output',
    inSandbox(async ({ run, spec }) => {
      let facts: { HostConfig: object; Mounts: { Source: string; RW: boolean }[]; Config: object }[] = [];
      const look = (): void => {
        const [id = ''] = engine?.docker('ps', '-q').split('\n') ?? [];
        if (facts.length === 0) facts = JSON.parse(engine?.docker('inspect', id) ?? '[]') as typeof facts;
      };
      const result = await run('echo ready; sleep 1; ls /var/run/docker.sock', { onOutput: look });
      expect(text(result.stderr)).toContain('No such file');
      expect(facts[0]?.HostConfig).toMatchObject({
        NetworkMode: 'none',
        ReadonlyRootfs: true,
        Privileged: false,
        CapAdd: null,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        Memory: spec.limits.memoryBytes,
        MemorySwap: spec.limits.memoryBytes,
        PidsLimit: spec.limits.processes + 1,
        PidMode: '',
        LogConfig: { Type: 'none' },
        Binds: null,
      });
      expect(facts[0]?.Config).toMatchObject({ User: '65532:65532' });
      expect(facts[0]?.Mounts.map(({ Source, RW }) => [Source, RW]).sort()).toEqual([
        [join(spec.stateDir, 'docker/tmp'), true],
        [spec.workspaceDir, true],
      ]);
    }),
  );

  it('programs of an attempt share its /tmp, and nothing of it or of their containers is left', async () => {
    let gone: { attemptId: string; stateDir: string } | undefined;
    await withSandbox(provider, async ({ run, spec, sandbox }) => {
      gone = spec;
      await run('mkdir /tmp/closed && echo kept > /tmp/closed/file && chmod 000 /tmp/closed');
      expect(text((await run('chmod 700 /tmp/closed; cat /tmp/closed/file')).stdout)).toBe('kept\n');
      expect(await containersOf(spec.attemptId)).toEqual([]);
      await sandbox.destroy();
      expect(readdirSync(spec.stateDir)).toEqual([]);
    });
    expect(await containersOf(gone?.attemptId ?? '')).toEqual([]);
  });

  it(
    'FF-065: a program that leaves its input unread loses no output',
    inSandbox(async ({ run }) => {
      for (let round = 0; round < 10; round++) {
        const result = await run('head -c 200000 /dev/zero; exit 3', { stdin: new Uint8Array(4_000_000) });
        expect([result.outcome, result.exitCode, result.stdout.length]).toEqual(['exited', 3, 200_000]);
      }
    }),
  );

  it(
    'a working directory that leads out of the workspace starts nothing',
    inSandbox(async ({ run }) => {
      await run('ln -s /etc out; ln -s ../.. up');
      for (const cwd of ['out', 'up']) expect((await run('pwd', { cwd })).outcome, cwd).toBe('start_failed');
    }),
  );

  it('DI-150 DI-152: an engine that is lost while a program runs is the provider’s fault; its container is reaped later', async () => {
    if (engine === null) return;
    const between = await cuttable(engine.env.DOCKER_HOST.slice('unix://'.length));
    const spec = specIn(scratch());
    const sandbox = await dockerSandboxes({ ...engine.env, DOCKER_HOST: between.host }).allocate(spec);
    const running = sandbox.exec({
      argv: ['/bin/sh', '-c', 'echo ready; sleep 600'],
      env: { PATH: '/usr/bin:/bin', SECRET: 'canary' },
      timeoutMs: 60_000,
      graceMs: 0,
      onOutput: () => between.cut(),
    });
    await expect(running).rejects.toMatchObject({
      code: 'provider_failed',
      message: expect.not.stringContaining('canary'),
    });
    await expect(sandbox.destroy()).rejects.toMatchObject({ code: 'provider_failed' });
    expect(await containersOf(spec.attemptId)).toHaveLength(1);
    await provider.reap(spec.attemptId, spec.stateDir);
    expect(await containersOf(spec.attemptId)).toEqual([]);
    expect(readdirSync(spec.stateDir)).toEqual([]);
  });

  it('FF-038: a container that appears after its supervisor’s death is reaped, however late', async () => {
    if (engine === null) return;
    const spec = specIn(scratch());
    const own = ownDirectory(spec.stateDir);
    mkdirSync(own.root, { recursive: true });
    writeFileSync(own.creating, '');
    const reaped = provider.reap(spec.attemptId, spec.stateDir);
    await delay(500);
    const { PALISADE_DOCKER_IMAGE: image } = engine.env;
    const labels = { [ATTEMPT_LABEL]: spec.attemptId };
    await engine.client.create({ Image: image, Cmd: ['sleep', '600'], Labels: labels });
    await reaped;
    expect(await containersOf(spec.attemptId)).toEqual([]);
  });

  it('DI-150: an image by its tag is refused by name of the error, and taken where the operator allows it', async () => {
    if (engine === null) return;
    const tagged = { ...engine.env, PALISADE_DOCKER_IMAGE: 'palisade-busybox:1' };
    await expect(dockerSandboxes(tagged).allocate(specIn(scratch()))).rejects.toMatchObject({
      code: 'unpinned_image',
    });
    const allowed = dockerSandboxes({ ...tagged, PALISADE_DOCKER_ALLOW_UNPINNED: '1' });
    await withSandbox(allowed, async ({ sandbox, run }) => {
      expect(text((await run('echo here')).stdout)).toBe('here\n');
      // Whatever it was called, what is told is what ran.
      expect(sandbox.image).toBe(engine.env.PALISADE_DOCKER_IMAGE);
    });
  });

  it('an image that the engine does not have is said, with the command that gets it', async () => {
    if (engine === null) return;
    const missing = { ...engine.env, PALISADE_DOCKER_IMAGE: `agents@${PINNED}` };
    expect(await dockerSandboxes(missing).probe()).toMatchObject({
      available: false,
      reason: expect.stringContaining('does not have the image'),
      next: `docker pull agents@${PINNED}`,
    });
  });

  it('an engine that does not see this machine’s files is refused, also where the same paths are there', async () => {
    const dir = scratch();
    const places = ['other/workspace', 'other/state/docker/tmp'].map((path) => `'${dir}/${path}'`);
    const elsewhere = await startEngine({
      elsewhere: `mount -t tmpfs none '${dir}'; mkdir -p ${places.join(' ')}; chmod 777 ${places.join(' ')}`,
    });
    try {
      const remote = dockerSandboxes(elsewhere.env);
      const refusal = {
        code: 'requirements_unmet',
        message: 'the Docker engine does not see the files of this machine',
      };
      for (const name of ['mine', 'other']) {
        const spec = specIn(join(dir, name));
        await expect(remote.allocate(spec), name).rejects.toMatchObject(refusal);
        expect(await elsewhere.client.list(`${ATTEMPT_LABEL}=${spec.attemptId}`)).toEqual([]);
      }
    } finally {
      await elsewhere.stop();
    }
  });
});
