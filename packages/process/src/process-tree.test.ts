import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { livingWith } from '@palisade/contracts/testing';
import { describe, expect, it } from 'vitest';
import { listProcesses, readProcess, signalProcess, startTimeNow } from './process-table.ts';
import { canTag, processTag } from './process-tag.ts';
import { ProcessTree } from './process-tree.ts';

const token = (): string => `5${Math.random().toString().slice(2, 11)}`;
let attempts = 0;
const newAttempt = (): string => `att_tree_${process.pid}_${attempts++}`;

/** Starts a shell script whose parent is gone when this resolves, so that only a mark can lead to it. */
async function orphan(script: string, argv: readonly string[], env: Record<string, string>): Promise<void> {
  const words = [...argv, 'sh', '-c', `(setsid sh -c '${script}' >/dev/null 2>&1 &) ; sleep 0.2`];
  const child = spawn(words[0] ?? 'sh', words.slice(1), {
    env: { PATH: '/usr/bin:/bin', ...env },
    stdio: 'ignore',
  });
  await once(child, 'exit');
}

describe('process tree', () => {
  it('FF-063: an orphan in its own session with an empty environment is found by the inherited mark', async () => {
    const [attempt, mine] = [newAttempt(), token()];
    const tag = processTag(attempt);
    expect(canTag(tag)).toBe(true);
    await orphan(`exec env -i sleep ${mine}`, ['prlimit', `--locks=${tag}`, '--'], {});
    expect(livingWith(mine).length).toBe(1);
    await new ProcessTree(attempt, 0).end();
    expect(livingWith(mine)).toEqual([]);
  });

  it('FF-063: an orphan is found by the marker variable, and one of another attempt is left alone', async () => {
    const [attempt, other, mine, others] = [newAttempt(), newAttempt(), token(), token()];
    await orphan(`exec sleep ${mine}`, [], { PALISADE_ATTEMPT_ID: attempt });
    await orphan(`exec sleep ${others}`, [], { PALISADE_ATTEMPT_ID: other });
    await new ProcessTree(attempt, 0).end();
    expect([livingWith(mine).length, livingWith(others).length]).toEqual([0, 1]);
    await new ProcessTree(other, 0).end();
    expect(livingWith(others)).toEqual([]);
  });

  it("the supervisor's own helpers are spared, although they carry its marker", async () => {
    const [attempt, mine] = [newAttempt(), token()];
    const helper = spawn('sleep', [mine], { env: { PATH: '/usr/bin:/bin', PALISADE_ATTEMPT_ID: attempt } });
    await once(helper, 'spawn');
    await new ProcessTree(attempt, 0).end();
    expect(livingWith(mine)).toEqual([helper.pid]);
    helper.kill('SIGKILL');
  });

  it('FF-038: a pid whose start time differs is a stranger and is not signalled', async () => {
    const mine = token();
    const stranger = spawn('sleep', [mine]);
    await once(stranger, 'spawn');
    const entry = readProcess(stranger.pid ?? 0);
    expect(entry).not.toBe(null);
    if (entry === null) return;
    signalProcess({ ...entry, startTime: String(Number(entry.startTime) - 1) }, 'SIGKILL');
    expect(livingWith(mine)).toEqual([stranger.pid]);
    signalProcess(entry, 'SIGKILL');
    await once(stranger, 'exit');
    expect(readProcess(entry.pid)).toBe(null);
  });

  it('a process started now is not older than now, and one with a strange name is read right', async () => {
    const before = startTimeNow();
    const child = spawn('sleep', ['60'], { argv0: 'a) S 1 (b' });
    await once(child, 'spawn');
    const entry = listProcesses().find((entry) => entry.pid === child.pid);
    expect(Number(entry?.startTime)).toBeGreaterThanOrEqual(before);
    expect(entry?.parent).toBe(process.pid);
    child.kill('SIGKILL');
  });
});
