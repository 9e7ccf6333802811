import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { git, makeRepository, palisade, removeInstallation } from '../support/installation.ts';
import { planFile } from '../support/plan-file.ts';
import { enginesOf } from '../support/processes.ts';

let root = '';
beforeEach(async () => {
  root = makeRepository({ 'a.txt': 'zero\n' });
  expect((await palisade(root, ['init'])).code).toBe(0);
});
afterEach(() => removeInstallation(root));

const once = { retry: { max_attempts: 1 } };

/** Items that fail in every way an attempt can, with the code or words their end carries. */
const failing: readonly (readonly [object, string | RegExp])[] = [
  [{ id: 'status', command: 'exit 3' }, /status 3/],
  [{ id: 'killed', command: 'kill -9 $$' }, /SIGKILL/],
  [{ id: 'missing', run: { harness: 'command', command: ['/nosuch/program'] } }, /start|status 127/],
  [
    {
      id: 'gate',
      command: 'true',
      inputs: { pipeline: [{ kind: 'agent' }, { kind: 'script', command: 'false' }] },
    },
    /gate/,
  ],
  [{ id: 'late', command: 'sleep 60', timeout_seconds: 1 }, /deadline|time/],
  [
    {
      id: 'memory',
      command: 'node -e "const a=[];for(;;)a.push(Buffer.alloc(1<<24,1))"',
      sandbox: { memory_mb: 96 },
    },
    /memory|status|SIG/,
  ],
];

describe('exit codes', { timeout: 90_000 }, () => {
  it('FF-078: every kind of failed work ends a command with 1, and says what it was', async () => {
    const items = failing.map(([item]) => ({ ...item, ...once }));
    items.push(
      { id: 'source', command: 'true', ...once } as never,
      {
        id: 'needs',
        command: 'true',
        needs: { x: { from: 'source', select: { kind: 'output', path: 'nosuch.txt' } } },
        ...once,
      } as never,
    );
    const plan = planFile(root, { items });
    const run = await palisade(root, ['run', plan, '--run-id', 'all', '--json']);
    expect([run.code, run.signal], run.stderr).toEqual([1, null]);
    const view = JSON.parse(run.stdout) as {
      run: { state: string };
      items: { id: string; state: string; reason?: string }[];
    };
    expect(view.run.state).toBe('failed');
    const ends = Object.fromEntries(view.items.map((item) => [item.id, item]));
    for (const [item, words] of failing) {
      const { id } = item as { id: string };
      expect(ends[id]?.state, id).toBe('failed');
      expect(ends[id]?.reason, id).toMatch(words);
    }
    expect(ends['source']?.state).toBe('done');
    expect(ends['needs']).toMatchObject({ state: 'failed', reason: expect.stringMatching(/left no output/) });
    expect((await palisade(root, ['watch', 'all'])).code).toBe(1);
    expect((await palisade(root, ['verify', 'all'])).code).toBe(0);
  });

  it('FF-078: a canceled run, a run that is still going and one whose deadline passed are 1, 8 and 1', async () => {
    const slow = planFile(root, { items: [{ id: 'a', command: 'sleep 30' }] }, 'slow.json');
    const going = await palisade(root, ['run', slow, '--run-id', 'going', '--timeout', '1s']);
    expect(going.code, going.stderr).toBe(8);
    const [watched, canceled] = await Promise.all([
      palisade(root, ['watch', 'going']),
      palisade(root, ['cancel', 'going']),
    ]);
    expect([watched.code, canceled.code]).toEqual([1, 0]);
    const overdue = planFile(
      root,
      { timeout_seconds: 1, items: [{ id: 'a', command: 'sleep 30' }] },
      'overdue.json',
    );
    expect((await palisade(root, ['run', overdue])).code).toBe(1);
  });

  it('FF-078: wrong input, conflicts, refusals and unmet requirements have their own codes', async () => {
    const good = planFile(root, { items: [{ id: 'a', command: 'echo one > a.txt' }] }, 'good.json');
    const other = planFile(root, { items: [{ id: 'b', command: 'true' }] }, 'other.json');
    const leaky = planFile(
      root,
      { items: [{ id: 'a', command: `curl -H 'x: AKIA${'ABCDEFGH'.repeat(2)}'` }] },
      'leaky.json',
    );
    const agent = planFile(root, { items: [{ id: 'a', agent: 'nosuch' }] }, 'agent.json');
    expect((await palisade(root, ['run', good, '--run-id', 'one'])).code).toBe(0);
    const codes: [readonly string[], number, string | RegExp][] = [
      [['run', good, '--nosuch'], 2, 'nosuch'],
      [['nosuch'], 2, 'nosuch'],
      [['run', 'nosuch.json'], 2, 'nosuch.json'],
      [['run', '.'], 2, 'directory'],
      [['run', agent], 2, 'nosuch'],
      [['show', 'nosuch'], 2, 'no run'],
      [['logs', 'one/nosuch'], 2, 'nosuch'],
      [['run', good, '--base', 'nosuch'], 2, 'nosuch'],
      [['run', good, '--repo', '/nonexistent'], 2, /nonexistent|repository|directory/],
      [['run', leaky], 4, 'credential'],
      [['run', other, '--run-id', 'one'], 5, 'one'],
      [['cancel', 'one'], 5, 'ended'],
      [['run', good, '--sandbox', 'nosuch'], 6, 'nosuch'],
      [['verify', 'nosuch'], 2, 'nosuch'],
      [['artifact', 'get', `sha256:${'0'.repeat(64)}`], 2, /artifact|blob|no /],
    ];
    for (const [args, code, words] of codes) {
      const result = await palisade(root, args);
      expect([args.join(' '), result.code, result.signal], result.stderr).toEqual([
        args.join(' '),
        code,
        null,
      ]);
      expect(result.stderr, args.join(' ')).toMatch(words);
      expect(result.stdout, args.join(' ')).toBe('');
    }
    writeFileSync(join(root, 'a.txt'), 'mine\n');
    expect((await palisade(root, ['apply', 'one'])).code).toBe(5);
    git(root, 'checkout', '-q', 'a.txt');
    expect((await palisade(root, ['apply', 'one'])).code).toBe(0);
  });

  it('FF-078: no control plane, a wrong setting of the engine and a damaged key are 3, 2 and 1, never 0', async () => {
    const plan = planFile(root, { items: [{ id: 'a', command: 'true' }] });
    const lease = await palisade(root, ['run', plan, '--detach'], { PALISADE_LEASE_MS: 'soon' });
    expect(lease.code).toBe(2);
    expect(lease.stderr).toContain('PALISADE_LEASE_MS');
    expect(enginesOf(root)).toEqual([]);
    writeFileSync(join(root, '.palisade/signer.key'), 'damaged');
    const damaged = await palisade(root, ['status']);
    expect(damaged.code).toBe(1);
    expect(damaged.stderr).toContain('key');
    rmSync(join(root, '.palisade'), { recursive: true });
    expect((await palisade(root, ['status'])).code).toBe(3);
    writeFileSync(join(root, 'bundle.json'), '{"schema_version":1}');
    chmodSync(join(root, 'bundle.json'), 0o644);
    expect((await palisade(root, ['verify', 'bundle.json'])).code).toBe(2);
  });
});
