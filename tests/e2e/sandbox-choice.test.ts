import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CLI, makeRepository, palisade, removeInstallation } from '../support/installation.ts';

let root = '';
afterEach(() => removeInstallation(root));

/** Shell lines that change what programs see, in mount namespaces of their own. */
const BROKEN = 'mount --bind /bin/false /usr/bin/bwrap';
const MISSING = `mount -t tmpfs none /mnt && mkdir /mnt/new /mnt/work
mount -t overlay -o lowerdir=/usr/bin,upperdir=/mnt/new,workdir=/mnt/work none /usr/bin && rm /usr/bin/bwrap`;

function elsewhere(change: string, ...command: string[]) {
  const script = `set -e; ${change}; exec "$@"`;
  return spawnSync('unshare', ['--mount', '--', 'sh', '-c', script, 'sh', ...command], {
    cwd: root === '' ? '/' : root,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
}
const works = (change: string): boolean => elsewhere(change, 'true').status === 0;
const pal = (change: string, ...args: string[]) => elsewhere(change, process.execPath, CLI, ...args);

async function project(items: readonly object[]): Promise<void> {
  root = makeRepository({ 'a.txt': 'zero\n' });
  writeFileSync(join(root, '.git/info/exclude'), 'plan.json\n');
  writeFileSync(join(root, 'plan.json'), JSON.stringify({ items }));
  await palisade(root, ['init']);
}
const item = { id: 'a', command: 'echo one > a.txt' };

describe.skipIf(!works(BROKEN))('a bubblewrap that is installed and does not work', () => {
  it('refuses the run and says what to do; the operator may name another sandbox', async () => {
    await project([item]);
    const refused = pal(BROKEN, 'run', 'plan.json');
    expect(refused).toMatchObject({ status: 6, stdout: '' });
    expect(refused.stderr).toContain('sandbox bubblewrap is installed and does not work');
    expect(refused.stderr).toContain('--sandbox process');
    expect(pal(BROKEN, 'status').stdout).not.toContain('run_');
    const doctor = pal(BROKEN, 'doctor');
    expect(doctor.status).toBe(1);
    expect(doctor.stdout).toMatch(/fail +sandbox +bubblewrap is installed and does not work/);
    expect(pal(BROKEN, 'run', 'plan.json', '--sandbox', 'process').status).toBe(0);
  });
});

describe.skipIf(!works(MISSING))('a machine without bubblewrap', () => {
  it('EX-204 DI-061: runs with the process sandbox, and every place says what that is', async () => {
    await project([item]);
    const ran = pal(MISSING, 'run', 'plan.json');
    expect(ran.status).toBe(0);
    expect(ran.stderr).toContain('warning: sandbox bubblewrap is missing');
    expect(ran.stderr).toContain('no boundary (unsandboxed-host)');
    expect((await palisade(root, ['show', '-'])).stdout).toContain('sandbox process (unsandboxed-host)');
    expect((await palisade(root, ['verify', '-'])).stdout).toContain(
      'sandbox process (unsandboxed-host)  1 attempt',
    );
    await palisade(root, ['evidence', 'export', '-', '-o', 'evidence.json']);
    const bundle = JSON.parse(readFileSync(join(root, 'evidence.json'), 'utf8')) as {
      manifests: { sandbox: object }[];
      entries: { data: object }[];
    };
    expect(bundle.manifests[0]?.sandbox).toMatchObject({
      provider: 'process',
      isolation: 'unsandboxed-host',
    });
    expect(JSON.stringify(bundle.entries)).toContain('"posture":["unsandboxed-host"');
  });

  it('is refused when the operator requires isolation, or the plan does', async () => {
    await project([item]);
    for (const [words, env] of [
      [['--require-isolation'], {}],
      [[], { PALISADE_REQUIRE_ISOLATION: '1' }],
    ] as const) {
      Object.assign(process.env, env);
      try {
        const refused = pal(MISSING, 'run', 'plan.json', ...words);
        expect(refused.status).toBe(6);
        expect(refused.stderr).toContain('process is no boundary (unsandboxed-host), and one is required');
      } finally {
        for (const name of Object.keys(env)) delete process.env[name];
      }
    }
    writeFileSync(
      join(root, 'plan.json'),
      JSON.stringify({ items: [{ ...item, sandbox: { isolated: true } }] }),
    );
    expect(pal(MISSING, 'run', 'plan.json', '--sandbox', 'process').status).toBe(6);
    writeFileSync(join(root, 'plan.json'), JSON.stringify({ items: [item] }));
    expect(pal(MISSING, 'run', 'plan.json').status).toBe(0);
    expect(pal(MISSING, 'rerun', '-', '--require-isolation').status).toBe(6);
  });
});

describe('bubblewrap', () => {
  it('a manifest says that an attempt was to be isolated', async () => {
    await project([{ ...item, sandbox: { isolated: true } }]);
    const ran = await palisade(root, ['run', 'plan.json', '--require-isolation']);
    if (ran.code === 6) return;
    expect(ran.code).toBe(0);
    expect((await palisade(root, ['verify', '-'])).stdout).toMatch(/^sandbox bubblewrap {2}1 attempt$/m);
  });
});
