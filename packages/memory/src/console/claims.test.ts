import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { budgetOf } from '@palisade/workspace';
import { describe, expect, it } from 'vitest';
import { ConsoleHome, NOW } from '../../test/console-home.ts';
import { TestRepository } from '../../test/history.ts';
import { claimedRepository, claimTarget } from './claim-target.ts';
import { acquireClaims, listClaims, releaseClaims } from './claims.ts';
import { consoleOf, openConsole } from './console.ts';

const CLAIM_ONCE = fileURLToPath(new URL('../../test/claim-once.ts', import.meta.url));

function claimer(home: ConsoleHome, name: string, moment: number, ...targets: string[]) {
  const child = spawn(process.execPath, [CLAIM_ONCE, name, String(moment), ...targets], {
    env: { ...process.env, ...home.env, XDG_DATA_HOME: '', PALISADE_CONSOLE_DB: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (said += piece));
  return { child, ended: once(child, 'close'), said: () => said.split('\n').filter((line) => line !== '') };
}

describe('claims', () => {
  it('WM-074, D-08: what another session holds, below it or around it, is a conflict that keeps nothing', async () => {
    using home = new ConsoleHome();
    const first = await home.claim('agent:a', ['src/cart', 'README.md']);
    expect(first).toMatchObject({
      status: 'acquired',
      claims: [{ id: 'clm-1', provider: 'agent', session_id: 'a', machine: 'here' }, { id: 'clm-2' }],
    });
    for (const [target, ids] of [
      ['src/cart', ['clm-1']],
      ['src/cart/total.ts', ['clm-1']],
      ['src', ['clm-1']],
      ['.', ['clm-1', 'clm-2']],
    ] as const)
      expect(await home.claim('agent:b', ['docs', target])).toMatchObject({
        status: 'conflict',
        claims: [],
        conflict_ids: ids,
      });
    // Neither the path that was free, nor a name that only begins like a claimed one.
    expect(await home.claim('agent:c', ['docs', 'src/cart.ts'])).toMatchObject({ status: 'acquired' });
    expect(listClaims(home.at(), '/srv/shop/.git', true)).toHaveLength(4);
  });

  it('WM-074: its holder renews a lease, and only its holder ends it', async () => {
    using home = new ConsoleHome();
    await home.claim('agent:a', ['x']);
    const renewed = await home.claim('agent:a', ['x'], NOW + 30_000);
    expect(renewed.claims).toMatchObject([{ id: 'clm-1', lease_until: NOW + 90_000 }]);
    const shorter = await home.claim('agent:a', ['x'], NOW + 30_000, 1_000);
    expect(shorter.claims).toMatchObject([{ id: 'clm-1', lease_until: NOW + 90_000 }]);
    const release = (name: string) =>
      releaseClaims(home.at(NOW + 1), {
        ...home.change(),
        session: home.session(name),
        which: { ids: ['clm-1'] },
      });
    await expect(release('agent:b')).rejects.toMatchObject({ code: 'operation_not_permitted' });
    expect(await release('agent:a')).toMatchObject([{ status: 'released', released_at: NOW + 1 }]);
    expect(await home.claim('agent:b', ['x'])).toMatchObject({ status: 'acquired' });
    expect(await release('agent:a')).toMatchObject([{ status: 'released', released_at: NOW + 1 }]);
  });

  it('FF-041: a lease whose holder is gone ends by itself, and is shown as ended', async () => {
    using home = new ConsoleHome();
    await home.claim('agent:a', ['x']);
    expect(await home.claim('agent:b', ['x'], NOW + 59_999)).toMatchObject({ status: 'conflict' });
    expect(listClaims(home.at(NOW + 60_000), undefined, false)).toEqual([]);
    expect(listClaims(home.at(NOW + 60_000), undefined, true)).toMatchObject([
      { status: 'expired', released_at: NOW + 60_000 },
    ]);
    expect(await home.claim('agent:b', ['x'], NOW + 60_000)).toMatchObject({ status: 'acquired' });
    // Who held it before does not get it back by asking again.
    expect(await home.claim('agent:a', ['x'], NOW + 60_001)).toMatchObject({ status: 'conflict' });
  });

  it('a rehearsal keeps nothing, a key answers once, and a conflict may be asked again with its key', async () => {
    using home = new ConsoleHome();
    const ask = (name: string, key: string, isRehearsal = false) =>
      acquireClaims(home.at(), {
        ...home.change(key, isRehearsal),
        request: [name],
        session: home.session(name),
        repository: '/r',
        targets: [{ target: 'x', target_type: 'file' }],
        ttlMs: 60_000,
        intent: undefined,
      });
    expect(await ask('agent:a', 'k', true)).toMatchObject({ status: 'acquired' });
    expect(listClaims(home.at(), undefined, true)).toEqual([]);
    await ask('agent:a', 'k');
    expect(await ask('agent:b', 'l')).toMatchObject({ status: 'conflict' });
    await expect(ask('agent:c', 'k')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    await releaseClaims(home.at(), { ...home.change(), session: home.session('agent:a'), which: 'all' });
    expect(await ask('agent:b', 'l')).toMatchObject({ status: 'acquired' });
    expect(await ask('agent:b', 'l')).toMatchObject({ status: 'acquired', claims: [{ id: 'clm-2' }] });
    // What the key got is another's by now.
    expect(await ask('agent:a', 'k')).toMatchObject({
      status: 'conflict',
      claims: [],
      conflicts: [{ id: 'clm-2', session_id: 'b' }],
    });
    expect(listClaims(home.at(), undefined, false)).toHaveLength(1);
  });

  it('D-08: asked again with its key when its lease is over, nothing is said to be held', async () => {
    using home = new ConsoleHome();
    const ask = (now: number) =>
      acquireClaims(home.at(now), {
        ...home.change('k'),
        session: home.session('agent:a'),
        repository: '/r',
        targets: [{ target: 'x', target_type: 'file' }],
        ttlMs: 1_000,
        intent: undefined,
      });
    await ask(NOW);
    expect(await ask(NOW + 999)).toMatchObject({
      status: 'acquired',
      claims: [{ lease_until: NOW + 1_000 }],
    });
    expect(await ask(NOW + 1_000)).toMatchObject({ status: 'conflict', claims: [], conflicts: [] });
  });

  it('a lease begins when it is got, however long the database was waited for', async () => {
    using home = new ConsoleHome();
    const console = consoleOf(home.database, 'here', new AbortController().signal);
    using other = openConsole({ env: home.env });
    const held = Promise.withResolvers<void>();
    const holding = other.write(() => held.promise);
    const asked = acquireClaims(console, {
      ...home.change(),
      session: home.session('agent:a'),
      repository: '/r',
      targets: [{ target: 'x', target_type: 'file' }],
      ttlMs: 60_000,
      intent: undefined,
    });
    await delay(300);
    const freed = Date.now();
    held.resolve();
    await holding;
    const { claims } = await asked;
    expect(claims[0]?.lease_until).toBeGreaterThanOrEqual(freed + 60_000);
  });

  it('WM-074: of processes that claim one path at one moment, exactly one gets it', async () => {
    using home = new ConsoleHome();
    for (const round of [1, 2, 3]) {
      const moment = Date.now() + 1_500;
      const claimers = Array.from({ length: 6 }, (_, at) =>
        claimer(home, `agent:r${round}-${at}`, moment, `dir${round}${at % 2 === 0 ? '' : '/file'}`),
      );
      await Promise.all(claimers.map(({ ended }) => ended));
      const said = claimers.flatMap((each) => each.said().map((line) => line.split(' ')[0]));
      expect(said).toHaveLength(6);
      const inFolder = listClaims(home.at(Date.now()), undefined, false).filter(({ target }) =>
        target.startsWith(`dir${round}`),
      );
      expect(said.filter((word) => word === 'acquired')).toHaveLength(1);
      expect(inFolder).toHaveLength(1);
    }
  }, 60_000);

  it('FF-083: 12 processes that write at once all get through', async () => {
    using home = new ConsoleHome();
    const moment = Date.now() + 2_500;
    const claimers = Array.from({ length: 12 }, (_, at) =>
      claimer(home, `agent:w${at}`, moment, ...Array.from({ length: 5 }, (__, n) => `w${at}-${n}`)),
    );
    await Promise.all(claimers.map(({ ended }) => ended));
    expect(
      claimers.flatMap((each) => each.said()).filter((line) => line.startsWith('acquired ')),
    ).toHaveLength(60);
    expect(listClaims(home.at(Date.now()), undefined, false)).toHaveLength(60);
  }, 60_000);

  it('killed in the middle, what was acknowledged is there', async () => {
    using home = new ConsoleHome();
    for (const count of [1, 7, 40]) {
      const names = Array.from({ length: 400 }, (_, n) => `k${count}-${n}`);
      const { child, ended, said } = claimer(home, `agent:k${count}`, 0, ...names);
      child.stdout.on('data', () => {
        if (said().length >= count) child.kill('SIGKILL');
      });
      await ended;
      expect(child.signalCode).toBe('SIGKILL');
      const kept = new Set(listClaims(home.at(Date.now()), undefined, false).map(({ target }) => target));
      for (const line of said()) expect(kept).toContain(line.split(' ')[1]);
      expect(await home.claim('agent:next', [`other-${count}`])).toMatchObject({ status: 'acquired' });
    }
  }, 60_000);
});

describe('what is claimed', () => {
  it('WM-074, L-07: a path is the same by .., by links, absolute, and from every work tree', async () => {
    using repository = new TestRepository();
    repository.commit({ files: { 'src/cart.ts': '1', 'docs/a.md': '2' } });
    using elsewhere = new ConsoleHome();
    const linked = join(elsewhere.directory, 'linked');
    repository.git('worktree', 'add', '--quiet', linked, '-b', 'other');
    symlinkSync('src', join(repository.directory, 'sources'));
    symlinkSync(elsewhere.directory, join(repository.directory, 'out'));
    symlinkSync('loop', join(repository.directory, 'loop'));
    mkdirSync(join(repository.directory, 'docs/deep'));
    symlinkSync('docs/deep', join(repository.directory, 'deep'));
    symlinkSync('src/not-yet.ts', join(repository.directory, 'dangling.ts'));
    symlinkSync(join(elsewhere.directory, 'not-yet'), join(repository.directory, 'away'));
    writeFileSync(join(elsewhere.directory, 'secret'), '');
    mkdirSync(join(linked, 'new'));
    const main = await claimedRepository(repository.directory, budgetOf(60_000));
    const other = await claimedRepository(join(linked, 'src'), budgetOf(60_000));
    expect(other).toEqual(main);
    const at = (from: string, path: string) => claimTarget(main, join(from), path).target;
    for (const [from, path] of [
      [repository.directory, 'src/cart.ts'],
      [repository.directory, './docs/../src/./cart.ts'],
      [repository.directory, 'sources/cart.ts'],
      [join(repository.directory, 'docs'), '../src/cart.ts'],
      [linked, 'src/cart.ts'],
      [repository.directory, join(linked, 'src/cart.ts')],
    ] as const)
      expect(at(from, path), path).toBe('src/cart.ts');
    expect(at(repository.directory, 'sources/not/there.ts')).toBe('src/not/there.ts');
    // As the system opens them.
    expect(at(repository.directory, 'deep/../a.md')).toBe('docs/a.md');
    expect(at(repository.directory, 'dangling.ts')).toBe('src/not-yet.ts');
    expect(at(repository.directory, 'not/yet/../there')).toBe('not/there');
    expect(claimTarget(main, repository.directory, '.')).toEqual({ target: '.', target_type: 'directory' });
    expect(claimTarget(main, repository.directory, 'later/')).toEqual({
      target: 'later',
      target_type: 'directory',
    });
    for (const path of ['..', '../x', '/etc/passwd', 'out/secret', 'loop', 'loop/x', 'away', 'a\0b', ''])
      expect(() => at(repository.directory, path), path).toThrow(/no path within|cannot be followed/);
    repository.git('worktree', 'remove', '--force', linked);
  });
});
