import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportEvidence, submitPlan } from '@palisade/contracts';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { startEngine, whyNoEngine } from '../../packages/providers/sandbox-docker/test/private-engine.ts';
import {
  ended,
  makeRepository,
  openAt,
  palisade,
  removeInstallation,
  startEngine as startPalisade,
  until,
  verified,
} from '../support/installation.ts';
import { running, uniqueSeconds, workersOf } from '../support/processes.ts';

const skip = whyNoEngine();
const engine =
  skip === null ? await startEngine({ programs: ['/bin/bash', '/usr/bin/git', process.execPath] }) : null;
const env = engine?.env ?? {};
afterAll(() => engine?.stop());
let root = '';
afterEach(() => removeInstallation(root));

const containers = (): string | undefined => engine?.docker('ps', '--all', '--quiet');

async function project(items: readonly object[]): Promise<void> {
  root = makeRepository({ 'a.txt': 'zero\n' });
  writeFileSync(join(root, '.git/info/exclude'), 'plan.json\nevidence.json\n');
  writeFileSync(join(root, 'plan.json'), JSON.stringify({ items }));
  await palisade(root, ['init']);
}

describe.skipIf(engine === null)(`the docker sandbox${skip === null ? '' : ` (skipped: ${skip})`}`, () => {
  it('DI-151 DI-152 EX-204: a run gives a patch and evidence that names its isolation, and leaves no container', async () => {
    const script = 'env | grep -E "^(DOCKER|PALISADE_DOCKER)" > seen.txt; ls / >> seen.txt; echo one > a.txt';
    await project([{ id: 'a', command: script, sandbox: { isolated: true } }]);
    const ran = await palisade(root, ['run', 'plan.json', '--sandbox', 'docker'], env);
    expect([ran.stderr, ran.code]).toEqual([expect.any(String), 0]);
    const diff = (await palisade(root, ['diff', '-'])).stdout;
    expect(diff).toContain('+one');
    expect(diff).toContain('+workspace');
    expect(diff).not.toContain('DOCKER');
    expect((await palisade(root, ['verify', '-'])).stdout).toMatch(/^sandbox docker {2}1 attempt$/m);
    await palisade(root, ['evidence', 'export', '-', '-o', 'evidence.json']);
    const bundle = JSON.parse(readFileSync(join(root, 'evidence.json'), 'utf8')) as {
      manifests: { sandbox: object }[];
      entries: { data: { posture?: string[]; product?: { image?: string } } }[];
    };
    expect(bundle.manifests[0]?.sandbox).toMatchObject({ provider: 'docker', isolation: 'sandboxed' });
    const images = bundle.entries.flatMap(({ data }) => data.product?.image ?? []);
    expect(images).toEqual([engine?.env.PALISADE_DOCKER_IMAGE]);
    expect(bundle.entries.flatMap(({ data }) => data.posture ?? [])).toEqual(
      expect.arrayContaining(['network-none', 'no-capabilities', 'readonly-root', 'memory-limit']),
    );
    expect(containers()).toBe('');
  });

  it('DI-121: a message comes to an agent that runs in a container', async () => {
    const command =
      'for i in $(seq 300); do [ -s "$PALISADE_INBOX_FILE" ] && break; sleep 0.1; done; cp "$PALISADE_INBOX_FILE" got.txt; [ -s got.txt ]';
    await project([{ id: 'a', channel: true, command }]);
    const ran = await palisade(root, ['run', 'plan.json', '--sandbox', 'docker', '--run-id', 'r', '-d'], env);
    expect([ran.stderr, ran.code]).toEqual([expect.any(String), 0]);
    expect((await palisade(root, ['send', 'r/a', 'into the container'], env)).code).toBe(0);
    expect((await palisade(root, ['watch', 'r'], env)).code).toBe(0);
    expect((await palisade(root, ['diff', 'r'])).stdout).toContain('"seq":1,"body":"into the container"');
    expect((await palisade(root, ['messages', 'r/a'])).stdout).toContain('delivered to attempt 1');
    expect((await palisade(root, ['verify', 'r'])).code).toBe(0);
  });

  it('DI-150: the image for agents is built from its Dockerfile, and an agent works in it', async () => {
    const built = engine?.docker(
      'build',
      '--quiet',
      '--network=none',
      '--build-arg=BASE=palisade-busybox:1',
      join(import.meta.dirname, '../../docker/agent'),
    );
    const image = /sha256:[0-9a-f]{64}/.exec(built ?? '')?.[0] ?? '';
    const script = `git status --short && git -c user.name=a -c user.email=a@example.invalid commit -q --allow-empty -m work
      node -e 'require("fs").writeFileSync("made.txt", String(process.getuid()))'
      [ -z "$(find / -xdev -type f -perm /6000 2>/dev/null)" ] && [ "$BASH_VERSION" ]`;
    await project([{ id: 'a', command: script, retry: { max_attempts: 1 } }]);
    const ran = await palisade(root, ['run', 'plan.json', '--sandbox', 'docker'], {
      ...env,
      PALISADE_DOCKER_IMAGE: image,
    });
    expect(ran.code, ran.stdout + ran.stderr).toBe(0);
    expect((await palisade(root, ['diff', '-'])).stdout).toContain('+65532');
    const shown = JSON.parse((await palisade(root, ['show', '-', '--json'])).stdout) as {
      items: { product?: { image?: string } }[];
    };
    expect(shown.items[0]?.product?.image).toBe(image);
  });

  it('doctor says what docker gives here, or why it does not work', async () => {
    await project([]);
    const works = await palisade(root, ['doctor'], env);
    expect(works.stdout).toMatch(/ok +(docker|sandbox) +(by --sandbox )?docker .*no-capabilities/);
    const gone = await palisade(root, ['doctor'], { ...env, DOCKER_HOST: 'ssh://ann@engine' });
    expect(gone.stdout).toContain('ssh:// is not supported');
    expect((await palisade(root, ['doctor'])).stdout).not.toMatch(/ docker {2}/);
  });

  it('by name without an image is refused with what to set', async () => {
    await project([{ id: 'a', command: 'true' }]);
    const refused = await palisade(root, ['run', 'plan.json', '--sandbox', 'docker']);
    expect(refused.code).toBe(6);
    expect(refused.stderr).toContain('PALISADE_DOCKER_IMAGE');
  });

  it('FF-046 FF-063 DI-177: a worker killed with its agent running: its container is removed, the attempt tried again', async () => {
    root = makeRepository({ 'a.txt': 'zero\n' });
    const before = { ...process.env };
    Object.assign(process.env, env);
    const plane = await openAt(root);
    try {
      const seconds = uniqueSeconds();
      const command = `if [ "$PALISADE_ATTEMPT" = 1 ]; then trap '' TERM; sleep ${seconds}; else echo ok > ok.txt; fi`;
      await plane.call(submitPlan, {
        plan: { items: [{ id: 'a', command }] },
        run_id: 'worker',
        repository: root,
        sandbox: 'docker',
      });
      await startPalisade(plane, env);
      await until('the agent to run', async () => running(`sleep ${seconds}`).length > 0);
      const [worker] = workersOf(root);
      if (worker === undefined) throw new Error('there is no worker');
      process.kill(worker.pid, 'SIGKILL');
      const { items } = await ended(plane, 'worker');
      expect(items[0]).toMatchObject({ state: 'done', attempt: 2, sandbox: 'docker' });
      const { entries } = await plane.call(exportEvidence, { run: 'worker' });
      const ends = entries.filter((entry) => entry.type === 'item.reconciled').map((entry) => entry.data);
      expect(ends).toMatchObject([{ outcome: 'lost' }, { outcome: 'succeeded' }]);
      expect((await verified(plane, 'worker')).report.intact).toBe(true);
      expect(running(`sleep ${seconds}`)).toEqual([]);
      expect(containers()).toBe('');
    } finally {
      await plane.close();
      for (const name of Object.keys(env)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });
});
