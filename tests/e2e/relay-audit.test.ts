import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startEngine, whyNoEngine } from '../../packages/providers/sandbox-docker/test/private-engine.ts';
import type { ModelRequest, Turn } from '../../packages/worker/test/model-server/script.ts';
import { agentInstallation, canRun } from '../support/agent-installation.ts';
import { NEEDS_PROGRAMS } from '../support/agent-programs.ts';
import { formsIn } from '../support/canary-forms.ts';
import { attemptsOf, until } from '../support/installation.ts';
import { planFile } from '../support/plan-file.ts';
import { type ProcessEntry, processTable, uniqueSeconds, workersOf } from '../support/processes.ts';
import { filesHolding, formsInProcess } from '../support/sandbox-audit.ts';

const noDocker = whyNoEngine();
const engine =
  noDocker === null && canRun('claude')
    ? await startEngine({ programs: [process.execPath, '/bin/bash', '/usr/bin/git'] })
    : null;
afterAll(() => engine?.stop());

type Fault = (key: string) => Turn;
/** What an endpoint may do wrong, one after the other, to the agent of each item; those that speak repeat the key they were given. */
const FAULTS: Readonly<Record<string, readonly Fault[]>> = {
  speaks: [
    (key) => ({ fault: { status: 500, message: `internal error of ${key}` } }),
    (key) => ({ fault: { status: 429, message: `too many requests of ${key}` } }),
    (key) => ({
      say: `Your key is ${key}.`,
      calls: [{ name: 'Bash', input: { command: `echo ${key}`, description: key } }],
    }),
    (key) => ({ fault: { status: 401, message: `the key ${key} is not valid` } }),
  ],
  cuts: [() => ({ fault: 'cut' })],
  breaks: [() => ({ fault: 'reset' })],
};

for (const { sandbox, skip } of [
  { sandbox: 'bubblewrap', skip: canRun('claude') ? null : NEEDS_PROGRAMS },
  { sandbox: 'docker', skip: noDocker ?? (canRun('claude') ? null : NEEDS_PROGRAMS) },
])
  describe.skipIf(skip !== null)(
    `the key of a model, in ${sandbox}${skip === null ? '' : ` (skipped: ${skip})`}`,
    () => {
      it('EX-202 DI-063 DI-111: is in no file, environment, argument or memory of the sandbox, whatever the endpoint does', {
        timeout: 240_000,
      }, async () => {
        const marker = uniqueSeconds();
        const given = new Map<string, number>();
        const place = await agentInstallation(
          (request: ModelRequest): Turn => {
            if (request.tools.length === 0) return { say: 'a title' };
            const kind = Object.keys(FAULTS).find((each) => request.text.includes(`the task ${each}`)) ?? '';
            const count = given.get(kind) ?? 0;
            const work = `: ${marker}; until [ -e go-on ]; do sleep 0.3; done; rm go-on`;
            if (kind === 'speaks' && count === 0 && request.results === 0)
              return {
                say: 'Looking.',
                calls: [{ name: 'Bash', input: { command: work, description: 'look' } }],
              };
            given.set(kind, count + 1);
            const faults = FAULTS[kind] ?? [];
            return (
              faults[Math.min(count, faults.length - 1)]?.(request.headers['x-api-key'] ?? 'no key') ?? {}
            );
          },
          engine?.env ?? {},
          { 'mark.txt': 'mark-of-the-workspace\n' },
        );
        const { forms, root, model } = place;
        const items = Object.keys(FAULTS).map((id) => ({
          id,
          run: { harness: 'claude-code', model_endpoint: 'messages' },
          model: 'standard',
          prompt: `Do the task ${id}.`,
          retry: { max_attempts: 1 },
          // A client that tries again and again is ended.
          timeout_seconds: id === 'speaks' ? 150 : 30,
        }));
        const plan = planFile(root, { items, concurrency: 1 });
        const run = place.cli('run', plan, '--run-id', 'one', '--sandbox', sandbox);
        const early = run.then(({ stdout, stderr }) => {
          throw new Error(`the run ended before its shell was seen: ${stdout}${stderr}`);
        });
        await Promise.race([early, until('its shell to run', async () => insideOf(marker, '').length > 0)]);
        early.catch(() => {});
        const inside = insideOf('placeholder-', '').filter(({ pid, command }) => {
          const found = formsInProcess(pid, forms);
          expect(found ?? [], command).toEqual([]);
          return found !== null;
        });
        expect(inside.length).toBeGreaterThanOrEqual(2);
        // The same look finds it where it has to be: in the worker, which is the other end of the relay.
        const [worker] = workersOf(root);
        expect(formsInProcess(worker?.pid ?? 0, forms)).toContain('memory: raw');
        const [agent] = inside;
        const files = filesHolding(agent?.pid ?? 0, [...Object.values(forms), 'mark-of-the-workspace']);
        // And this one finds what the workspace has.
        expect(files).toContain('/workspace/mark.txt');
        expect(files.filter((path) => formsIn(path, forms).length > 0)).toEqual([]);
        expect(filesHolding(agent?.pid ?? 0, Object.values(forms))).toEqual([]);
        if (sandbox === 'docker') {
          const [container = ''] = (engine?.docker('ps', '-q') ?? '').split('\n');
          expect(formsIn(engine?.docker('inspect', container) ?? '', forms)).toEqual([]);
        }

        const [workspace = ''] = attemptsOf(root).map((path) => join(path, 'workspace'));
        writeFileSync(join(workspace, 'go-on'), '');
        await run;
        for (const [kind, faults] of Object.entries(FAULTS))
          expect(given.get(kind), kind).toBeGreaterThanOrEqual(faults.length);
        expect(model.requests.some(({ headers }) => headers['x-api-key'] === place.key)).toBe(true);
        for (const command of [
          'logs one --json',
          'explain one/speaks',
          'show one --json',
          'events one --json',
        ])
          await place.cli(...command.split(' '));
        await place.cli('evidence', 'export', 'one', '-o', '.palisade/bundle.json');
        for (const text of place.printed) expect(formsIn(text, forms), text.slice(0, 2_000)).toEqual([]);
        await until('the attempt to be removed', async () => attemptsOf(root).length === 0);
        expect(place.leaks()).toEqual([]);
      });
    },
  );

/** Processes of agents with both texts in their arguments or environment. */
function insideOf(first: string, second: string): ProcessEntry[] {
  return processTable().filter(({ command, environment }) => {
    const text = `${command}\n${environment}`;
    return text.includes(first) && text.includes(second) && environment.includes('PALISADE_ATTEMPT_ID=');
  });
}
