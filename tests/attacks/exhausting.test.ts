import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ItemView } from '@palisade/contracts';
import { bubblewrapSandboxes } from '@palisade/sandbox-bubblewrap';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { startEngine, whyNoEngine } from '../../packages/providers/sandbox-docker/test/private-engine.ts';
import { makeRepository, palisade, removeInstallation } from '../support/installation.ts';
import { planFile } from '../support/plan-file.ts';

const PROGRAM = join(import.meta.dirname, 'agent/exhaust.mjs');
const KINDS = ['processes', 'memory', 'file', 'output', 'time', 'disk', 'files'] as const;
type Kind = (typeof KINDS)[number];
/** What the items of the plan are given of each. */
const LIMITS: Readonly<Partial<Record<Kind, object>>> = {
  processes: { processes: 64 },
  memory: { memory_mb: 256 },
  output: { output_mb: 1 },
  time: { cpus: 0.05 },
  disk: { disk_mb: 64 },
  files: { files: 2_000 },
};

const probe = await bubblewrapSandboxes().probe();
const noDocker = whyNoEngine();
const engine = noDocker === null ? await startEngine({ programs: [process.execPath] }) : null;
afterAll(() => engine?.stop());
let root = '';
afterEach(() => removeInstallation(root));

it('control: on the machine itself there is as much of everything as is taken', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'palisade-exhaust-'));
  try {
    for (const kind of KINDS) {
      const { stdout } = spawnSync(process.execPath, [PROGRAM, kind], {
        cwd,
        encoding: 'utf8',
        maxBuffer: 16 * 2 ** 20,
      });
      expect(stdout.trim().split('\n').at(-1), kind).toContain('"outcome":"succeeded"');
      if (kind === 'output') expect(stdout.length).toBeGreaterThan(3 * 2 ** 20);
    }
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
});

for (const { sandbox, node, env, skip } of [
  {
    sandbox: 'bubblewrap',
    node: process.execPath,
    env: {},
    skip: probe.available ? null : probe.reason,
  },
  { sandbox: 'docker', node: 'node', env: engine?.env ?? {}, skip: noDocker },
])
  describe.skipIf(skip !== null)(`an agent that takes more than its share, in ${sandbox}`, () => {
    it('DI-152 DI-078 FF-062: is refused, or ended with the limit named', { timeout: 180_000 }, async () => {
      root = makeRepository({ 'exhaust.mjs': readFileSync(PROGRAM, 'utf8') });
      await palisade(root, ['init']);
      const items = KINDS.map((kind) => ({
        id: kind,
        // What ends by a signal is told by the limit's own name only where nothing stands in between.
        command: `exec ${node} exhaust.mjs ${kind}`,
        retry: { max_attempts: 1 },
        ...(LIMITS[kind] === undefined ? {} : { sandbox: LIMITS[kind] }),
      }));
      await palisade(root, ['run', planFile(root, { items }), '--run-id', 'one', '--sandbox', sandbox], env);
      const shown = JSON.parse((await palisade(root, ['show', 'one', '--json'])).stdout) as {
        items: readonly ItemView[];
      };
      const of = (kind: Kind): ItemView | undefined => shown.items.find(({ id }) => id === kind);
      const log = async (kind: Kind): Promise<string> =>
        (await palisade(root, ['logs', `one/${kind}`])).stdout;
      expect(of('memory')).toMatchObject({ state: 'failed', reason: expect.stringContaining('memory') });
      expect(await log('memory')).not.toContain('"outcome":"succeeded"');
      for (const [kind, setting] of [
        ['disk', 'sandbox.disk_mb'],
        ['files', 'sandbox.files'],
      ] as const)
        expect(of(kind)).toMatchObject({
          state: 'failed',
          code: 'too_large',
          reason: expect.stringContaining(setting),
        });
      for (const kind of ['processes', 'file', 'time'] as const)
        expect(await log(kind), kind).toMatch(/"outcome":"refused"|File size limit|EFBIG/);
      const output = await log('output');
      expect(output.length).toBeGreaterThan(0.9 * 2 ** 20);
      expect(output.length).toBeLessThan(1.3 * 2 ** 20);
      expect(of('output')?.product?.warnings?.join('\n')).toMatch(/cut|dropped|left out|beyond/);
    });
  });
