import { withSandbox } from '@palisade/contracts/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { startEngine, whyNoEngine } from '../test/private-engine.ts';
import { dockerSandboxes } from './docker-provider.ts';

const skip = whyNoEngine();
const bridged = skip === null ? await startEngine({ bridge: true }) : null;
afterAll(() => bridged?.stop());
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
const INTERFACES = 'tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " " | sort';

describe.skipIf(bridged === null)(
  `the network of docker${skip === null ? '' : ` (skipped: ${skip})`}`,
  () => {
    it('DI-152: the network is the engine’s bridge where it is allowed, and nothing where it is not', async () => {
      if (bridged === null) return;
      const other = dockerSandboxes(bridged.env);
      const server =
        "require('net').createServer((s) => s.end('from the bridge\\n')).listen(4711, '172.31.7.1')";
      bridged.within(process.execPath, '-e', server);
      const ask = 'for i in 1 2 3 4 5 6 7 8 9 10; do nc -w 5 172.31.7.1 4711 && break; sleep 1; done';
      await withSandbox(
        other,
        async ({ sandbox, run }) => {
          expect(sandbox.posture).toContain('network-bridge');
          expect(sandbox.posture).not.toContain('network-none');
          expect(text((await run(INTERFACES)).stdout)).toBe('eth0\nlo\n');
          expect(text((await run(ask)).stdout)).toBe('from the bridge\n');
        },
        { network: true },
      );
      await withSandbox(other, async ({ sandbox, run }) => {
        expect(sandbox.posture).toContain('network-none');
        expect(text((await run(INTERFACES)).stdout)).toBe('lo\n');
        expect((await run('nc -w 5 172.31.7.1 4711')).exitCode).not.toBe(0);
      });
    });
  },
);
