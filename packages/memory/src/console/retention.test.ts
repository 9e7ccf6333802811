import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConsoleHome, NOW } from '../../test/console-home.ts';
import { decideAuthority, requestAuthority } from './authority.ts';
import { listClaims } from './claims.ts';
import { consoleOf, openConsole } from './console.ts';
import { attestGate, openGate } from './gates.ts';
import { acceptHandoff, writeHandoff } from './handoffs.ts';
import { setManifest } from './manifests.ts';
import { listOwned } from './owned/owned-rows.ts';
import { runOwned } from './owned/run-owned.ts';
import { closeReview, createReview } from './reviews.ts';
import { knownSessions } from './sessions.ts';

const DAYS_30 = 30 * 86_400_000;

const count = (home: ConsoleHome, table: string): unknown =>
  home.database.get(`SELECT count(*) AS n FROM ${table}`)?.['n'];

describe('what is kept', () => {
  it('of an answer is its key and what it is of, and nothing without a key', async () => {
    using home = new ConsoleHome();
    const targets = Array.from({ length: 500 }, (_, at) => `packages/room/src/feature/file-${at}.ts`);
    for (let time = 0; time < 3; time++) await home.claim('agent:a', targets);
    const kept = home.database.get<{ n: number }>('SELECT max(length(rows)) AS n FROM answers');
    expect(kept?.n).toBeLessThan(2_500);
    await setManifest(home.at(), {
      idempotencyKey: undefined,
      isRehearsal: false,
      request: [],
      session: home.session('agent:a'),
      cwd: '/',
      repository: null,
      sourcePid: null,
      words: { goal: 'x' },
    });
    expect(count(home, 'answers')).toBe(3);
  });

  it('of an older database is everything but the answers', async () => {
    using home = new ConsoleHome();
    await home.claim('agent:a', ['x']);
    home.database.run('DROP TABLE answers');
    home.database.run(
      'CREATE TABLE answers (key TEXT PRIMARY KEY, request TEXT NOT NULL, answer TEXT NOT NULL)',
    );
    home.database.run(`INSERT INTO answers VALUES ('key-1', '', '{}')`);
    home.database.run('PRAGMA user_version = 1');
    using database = openConsole({ env: home.env });
    const console = consoleOf(database, 'here', new AbortController().signal);
    expect(listClaims(console, undefined, true)).toMatchObject([{ target: 'x' }]);
    expect(database.all('SELECT key, rows, at FROM answers')).toEqual([]);
  });

  it('of handoffs, requests, gates and reviews is what is open, and what was decided about a repository', async () => {
    using home = new ConsoleHome();
    const said = { ...home.change(), party: home.party('codex:a') };
    const again = () => ({ ...said, ...home.change() });
    const person = home.person('human:ada');
    for (const isOver of [true, false]) {
      const handoff = await writeHandoff(home.at(), {
        ...again(),
        from: home.session('codex:a'),
        to: undefined,
        repository: null,
        summary: 'half',
        pending: [],
        blockers: [],
      });
      const request = await requestAuthority(home.at(), {
        ...again(),
        level: 'push',
        action: 'x',
        target: undefined,
        details: undefined,
      });
      const gate = await openGate(home.at(), { ...again(), event: 'e', type: 'any', required: 1 });
      if (!isOver) continue;
      await acceptHandoff(home.at(), { ...again(), session: home.session('codex:b'), id: handoff.id });
      await decideAuthority(home.at(), {
        ...again(),
        party: person,
        id: request.id,
        decision: 'denied',
        reason: undefined,
      });
      await attestGate(home.at(), {
        ...again(),
        party: person,
        id: gate.id,
        verdict: 'allow',
        evidence: undefined,
      });
    }
    for (const repository of ['/srv/shop/.git', null]) {
      const wish = { subject: 's', details: undefined, repository };
      const { id } = await createReview(home.at(), { ...again(), ...wish });
      await createReview(home.at(), { ...again(), ...wish });
      await closeReview(home.at(), {
        ...again(),
        party: person,
        id,
        decision: 'proceed',
        note: undefined,
      });
    }
    const counts = () =>
      ['handoffs', 'authority', 'gates', 'attestations', 'reviews'].map((table) => count(home, table));
    await home.claim('agent:x', ['x'], NOW + DAYS_30);
    expect(counts()).toEqual([2, 2, 2, 1, 4]);
    await home.claim('agent:x', ['y'], NOW + DAYS_30 + 1);
    expect(counts()).toEqual([1, 1, 1, 0, 3]);
  });

  it('is dropped 30 days after it is over, with the logs that the console made', async () => {
    using home = new ConsoleHome();
    const ended = Date.now();
    const named = join(home.directory, 'mine.log');
    const run = (id: string, log?: string) =>
      runOwned(home.at(ended), {
        id,
        log,
        token: id,
        command: ['echo', 'x'],
        cwd: '/',
        isBackground: false,
        env: process.env,
        stdin: undefined,
        onOutput: () => undefined,
      });
    const { log } = await run('a');
    await run('b', named);
    writeFileSync(`${log}.1`, 'before');
    await home.claim('agent:old', ['x'], ended, 1_000);
    await home.claim('agent:new', ['y'], ended + DAYS_30, 60_000);
    expect(listOwned(home.at(), true)).toHaveLength(2);
    expect(existsSync(log)).toBe(true);
    const later = ended + DAYS_30 + 60_000;
    await home.claim('agent:new', ['z'], later);
    expect(listOwned(home.at(later), true)).toEqual([]);
    expect(readdirSync(join(log, '..'))).toEqual([]);
    expect(existsSync(named)).toBe(true);
    expect(listClaims(home.at(later), undefined, true).map(({ target }) => target)).toEqual(['z', 'y']);
    expect(knownSessions(home.database, []).map(({ session_id: id }) => id)).toEqual(['new']);
    expect(count(home, 'answers')).toBe(2);
    // Nothing is gone that is not over.
    await home.claim('agent:new', ['w'], NOW);
    expect(count(home, 'sessions')).toBe(1);
  });
});
