import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ATTEMPT_FILES } from '@palisade/contracts';
import { executorConformance } from '@palisade/contracts/testing';
import { fileBlobStore } from '@palisade/kernel';
import { workerExecutor } from '@palisade/runs';
import { processSandboxes } from '@palisade/sandbox-process';
import { release } from '@palisade/workspace';
import { describe, expect, it, vi } from 'vitest';
import { processEntry } from './process-entry.ts';

const script = (steps: readonly object[]) => ({
  agent: {
    schema_version: 1 as const,
    name: 'agent',
    system_prompt: null,
    prompt_template: null,
    model: null,
    run: { harness: 'scripted' as const, steps: steps as [] },
    capabilities: [],
  },
});

executorConformance(
  {
    name: 'local',
    blobs: (directory) => fileBlobStore(directory),
    make: ({ blobs, directory, isOpen, onFault }) =>
      workerExecutor({
        name: 'local',
        root: join(directory, 'attempts'),
        blobs,
        command: [process.execPath, processEntry('worker-process')],
        env: { PATH: process.env['PATH'] ?? '' },
        reap: (attemptId, stateDir) => processSandboxes().reap(attemptId, stateDir),
        isOpen,
        release: (attemptDir) =>
          release({
            directory: join(attemptDir, ATTEMPT_FILES.workspace),
            stateDir: join(attemptDir, ATTEMPT_FILES.workspaceState),
            readOnlyPaths: [],
            base: { kind: 'empty' },
          }),
        onFault,
      }),
    behaviours: {
      works: script([{ do: 'write', path: 'outputs/made.txt', text: 'made' }]),
      fails: script([{ do: 'exit', code: 3 }]),
      hangs: script([{ do: 'sleep', ms: 600_000 }]),
    },
    outlives: true,
    underWay: ({ directory }, attemptId) =>
      vi.waitFor(
        () => expect(existsSync(join(directory, 'attempts', attemptId, ATTEMPT_FILES.claim))).toBe(true),
        20_000,
      ),
  },
  { describe, it, expect },
);
