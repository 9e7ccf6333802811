import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ConsoleHome, NOW } from '../../test/console-home.ts';
import { decideAuthority, listAuthority, requestAuthority } from './authority.ts';
import { partyNamed } from './console.ts';
import { attestGate, listGates, openGate } from './gates.ts';
import { acceptHandoff, listHandoffs, writeHandoff } from './handoffs.ts';
import { setManifest } from './manifests.ts';
import { closeReview, createReview, openReviews } from './reviews.ts';
import { sessionNamed } from './sessions.ts';
import { consoleSession, consoleSnapshot } from './snapshot.ts';

const live = (id: string, lastActiveAt: number) => ({
  generated_at: NOW,
  host: 'here',
  notes: [],
  sessions: [
    {
      harness: 'codex' as const,
      pid: 7,
      tty: 'pts/1',
      age_seconds: 1,
      id,
      title: 'fix the cart',
      first_user_message: null,
      session_cwd: null,
      effective_workdir: null,
      last_active_at: lastActiveAt,
      git_branch: 'main',
      git_origin_url: null,
      status: 'seen' as const,
      recent_action: null,
    },
  ],
});

describe('sessions and what they say', () => {
  it('WM-071: a beginning that one session has names it, one that several have is refused with their names', async () => {
    using home = new ConsoleHome();
    const others = [
      { provider: 'codex', session_id: '01a2-x', machine: 'here' },
      { provider: 'claude-code', session_id: '01b3', machine: 'here' },
      { provider: 'claude-code', session_id: '01a2-x', machine: 'laptop' },
    ];
    const named = (written: string, mayBeNew = false) =>
      sessionNamed(home.at(), written, () => others, mayBeNew);
    expect(named('01b')).toMatchObject({ provider: 'claude-code', session_id: '01b3' });
    expect(named('codex:01a')).toMatchObject({ session_id: '01a2-x', machine: 'here' });
    expect(named('01a2-x@laptop')).toMatchObject({ provider: 'claude-code' });
    expect(() => named('01a2')).toThrow(
      expect.objectContaining({
        code: 'ambiguous_id',
        why: 'codex:01a2-x@here; claude-code:01a2-x@laptop',
      }),
    );
    expect(() => named('nobody')).toThrow(expect.objectContaining({ code: 'not_found' }));
    for (const bad of ['', '../x', 'a..b', 'a b', '-x', 'x:y:z', 'codex:', 'ü'])
      expect(() => named(bad, true), bad).toThrow(expect.objectContaining({ code: 'invalid_input' }));
    // Who says in full who it is, is not taken for another whose name begins so.
    expect(named('codex:01a2', true)).toMatchObject({ session_id: '01a2', machine: 'here', row: undefined });
  });

  it('WM-072, L-17: a manifest keeps what is not said again, and no credential', async () => {
    using home = new ConsoleHome();
    const set = (words: object, now = NOW) =>
      setManifest(home.at(now), {
        ...home.change(),
        session: home.session('codex:s1'),
        cwd: '/srv/shop',
        repository: '/srv/shop/.git',
        sourcePid: 7,
        words,
      });
    const first = await set({ goal: 'the cart', files: ['src/a.ts'], risks: ['token = abcdefghijklmnop1'] });
    expect(first).toMatchObject({ goal: 'the cart', files: ['src/a.ts'], source_pid: 7, updated_at: NOW });
    expect(JSON.stringify(first.risks)).toContain('<redacted');
    expect(await set({ step: 'tests', risks: [''] }, NOW + 5)).toMatchObject({
      goal: 'the cart',
      current_step: 'tests',
      risks: [],
      updated_at: NOW + 5,
    });
    expect(statSync(home.database.path).mode & 0o777).toBe(0o600);
  });

  it('FF-070, FF-072, FF-073: whatever bytes a session says are kept well formed, and cut between characters', async () => {
    using home = new ConsoleHome();
    for (const before of ['', 'x', 'xy', 'xyz']) {
      const goal = `${before}${'😀é'.repeat(400)}`;
      const manifest = await setManifest(home.at(), {
        ...home.change(),
        session: home.session('codex:s1'),
        cwd: '/',
        repository: null,
        sourcePid: null,
        words: { goal, step: 'a\0b \uD83D c', risks: [goal] },
      });
      const kept = JSON.parse(JSON.stringify(manifest)) as typeof manifest;
      const texts = [kept.goal, kept.current_step, ...kept.risks].map((text) => text ?? '');
      expect(texts.every((text) => text.isWellFormed() && text !== '')).toBe(true);
      expect(texts[2]?.length).toBeLessThanOrEqual(500);
    }
  });

  it('WM-070: the list joins what runs with what was said and is held; a manifest is stale when its session acted after it', async () => {
    using home = new ConsoleHome();
    await setManifest(home.at(), {
      ...home.change(),
      session: home.session('codex:s1'),
      cwd: '/srv/shop',
      repository: '/srv/shop/.git',
      sourcePid: null,
      words: { goal: 'the cart', files: ['src/cart.ts', 'README.md'] },
    });
    await home.claim('codex:s1', ['docs'], NOW, 3_600_000);
    await home.claim('agent:b', ['src'], NOW, 3_600_000);
    const fresh = consoleSnapshot(home.at(NOW + 1_000), live('s1', NOW + 1_000), false);
    expect(fresh.sessions.map(({ session_id: id }) => id)).toEqual(['s1', 'b']);
    expect(fresh.sessions[0]).toMatchObject({
      live: { pid: 7, title: 'fix the cart' },
      manifest: { goal: 'the cart' },
      manifest_stale: false,
      claims: [{ target: 'docs' }],
      conflict_count: 1,
    });
    const later = NOW + 600_000;
    expect(consoleSnapshot(home.at(later), live('s1', later), false).sessions[0]?.manifest_stale).toBe(true);
    // Of a session that does not run nothing is known that would be newer.
    expect(consoleSnapshot(home.at(later), live('s2', later), false).sessions[1]).toMatchObject({
      session_id: 's1',
      live: null,
      manifest_stale: false,
    });
    const old = home.at(NOW + 2 * 86_400_000);
    expect(consoleSnapshot(old, live('s9', NOW), false).sessions).toHaveLength(1);
    expect(consoleSnapshot(old, live('s9', NOW), true).sessions).toHaveLength(3);
  });

  it('WM-073: a handoff is accepted once, by who it is for', async () => {
    using home = new ConsoleHome();
    const write = (to?: string) =>
      writeHandoff(home.at(), {
        ...home.change(),
        from: home.session('codex:a'),
        to: to === undefined ? undefined : home.session(to),
        repository: null,
        summary: 'half done',
        pending: ['tests'],
        blockers: [],
      });
    const accept = (name: string, id: string) =>
      acceptHandoff(home.at(NOW + 1), { ...home.change(), session: home.session(name), id });
    const [one, two] = [await write('codex:b'), await write()];
    expect(one).toMatchObject({ id: 'hnd-1', status: 'open', to: { session_id: 'b' } });
    expect(consoleSession(home.at(), home.session('codex:b'), live('b', NOW)).handoffs).toMatchObject([
      { id: 'hnd-1', pending_actions: ['tests'] },
    ]);
    await expect(accept('codex:c', one.id)).rejects.toMatchObject({ code: 'operation_not_permitted' });
    expect(await accept('codex:b', one.id)).toMatchObject({ status: 'accepted' });
    expect(await accept('codex:c', two.id)).toMatchObject({ accepted_by: { session_id: 'c' } });
    await expect(accept('codex:b', two.id)).rejects.toMatchObject({ code: 'invalid_state' });
    expect(listHandoffs(home.at(), { isEver: false })).toEqual([]);
    expect(listHandoffs(home.at(), { isEver: true })).toHaveLength(2);
  });
});

describe('leave, gates and reviews', () => {
  it('WM-075: a key asks once, and the answer says what became of it', async () => {
    using home = new ConsoleHome();
    const ask = (action: string, key = 'k') =>
      requestAuthority(home.at(), {
        ...home.change(key),
        request: [action],
        party: home.party('codex:a'),
        level: 'push',
        action,
        target: undefined,
        details: undefined,
      });
    const first = await ask('push main');
    await decideAuthority(home.at(), {
      ...home.change(),
      party: home.person('human:ada'),
      id: first.id,
      decision: 'approved',
      reason: 'go',
    });
    expect(await ask('push main')).toMatchObject({ id: first.id, status: 'approved', reason: 'go' });
    await expect(ask('push other')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    expect(listAuthority(home.at(), { isEver: true })).toHaveLength(1);
  });

  it('WM-075: the key of a request is known for as long as the request is', async () => {
    using home = new ConsoleHome();
    const ask = (now: number, action = 'push', actor = 'human:ada') =>
      requestAuthority(home.at(now), {
        ...home.change('k'),
        party: { ...home.party('codex:a'), actor },
        level: 'push',
        action,
        target: undefined,
        details: undefined,
      });
    const { id } = await ask(NOW);
    const later = NOW + 60 * 86_400_000;
    expect(await ask(later)).toMatchObject({ id, status: 'requested' });
    home.database.run('DELETE FROM answers');
    await expect(ask(later, 'other')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    await expect(ask(later, 'push', 'human:bob')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  });

  it('D-08: a decision is final, is not of who asked, and only what was approved is done', async () => {
    using home = new ConsoleHome();
    const ask = (level: string) =>
      requestAuthority(home.at(), {
        ...home.change(),
        party: home.party('codex:a'),
        level,
        action: 'x',
        target: 'codex:b@here',
        details: undefined,
      });
    const decide = (
      id: string,
      decision: 'approved' | 'denied' | 'dispatched',
      party = home.person('human:ada'),
    ) => decideAuthority(home.at(), { ...home.change(), party, id, decision, reason: undefined });
    const { id } = await ask('push');
    await expect(decide(id, 'dispatched')).rejects.toMatchObject({ code: 'invalid_state' });
    const itself = home.party('codex:a');
    for (const party of [itself, { ...itself, name: 'human:ada' }])
      await expect(decide(id, 'approved', party)).rejects.toMatchObject({ code: 'operation_not_permitted' });
    expect(await decide(id, 'denied')).toMatchObject({ status: 'denied', decided_by: 'human:ada' });
    for (const decision of ['approved', 'dispatched'] as const)
      await expect(decide(id, decision, home.party('codex:b'))).rejects.toMatchObject({
        code: 'invalid_state',
      });
    expect(await decide(id, 'denied')).toMatchObject({ status: 'denied' });
    const own = await requestAuthority(home.at(), {
      ...home.change(),
      party: home.person('human:ada'),
      level: 'push',
      action: 'y',
      target: undefined,
      details: undefined,
    });
    await expect(decide(own.id, 'approved')).rejects.toMatchObject({ code: 'operation_not_permitted' });
    await decide(own.id, 'denied', home.person('human:bob'));
    const message = await ask('message');
    expect(await decide(message.id, 'dispatched', home.party('codex:b'))).toMatchObject({
      status: 'dispatched',
    });
    expect(listAuthority(home.at(), { isEver: false })).toEqual([]);
  });

  it('WM-076, D-08: one attester counts once, enough of them satisfy a gate, one denial closes it', async () => {
    using home = new ConsoleHome();
    const open = (type: 'human' | 'any', required: number) =>
      openGate(home.at(), {
        ...home.change(),
        party: home.party('codex:a'),
        event: 'publish',
        type,
        required,
      });
    const attest = (
      id: string,
      party = home.person('human:ada'),
      verdict: 'allow' | 'approve' | 'deny' = 'allow',
    ) => attestGate(home.at(), { ...home.change(), party, id, verdict, evidence: undefined });
    const gate = await open('human', 2);
    await attest(gate.id);
    expect(await attest(gate.id, undefined, 'approve')).toMatchObject({
      status: 'open',
      attestations: [{ by: 'human:ada' }],
    });
    await expect(attest(gate.id, undefined, 'deny')).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(attest(gate.id, home.party('codex:b'))).rejects.toMatchObject({
      code: 'operation_not_permitted',
    });
    expect(await attest(gate.id, home.person('human:bob'))).toMatchObject({
      status: 'satisfied',
      closed_at: NOW,
    });
    await expect(attest(gate.id, home.person('human:eve'))).rejects.toMatchObject({ code: 'invalid_state' });
    // A session is one, whatever it calls itself.
    const pair = await open('any', 2);
    const codex = home.party('codex:b');
    for (const party of [codex, { ...codex, name: 'human:ada' }, { ...codex, name: 'agent:x' }])
      expect(await attest(pair.id, party)).toMatchObject({
        status: 'open',
        attestations: [{ by: codex.name }],
      });
    expect(await attest(pair.id)).toMatchObject({ status: 'satisfied' });
    // Another gate of the same event is open on its own (D-15).
    const other = await open('any', 2);
    expect(await attest(other.id, home.party('codex:b'), 'deny')).toMatchObject({ status: 'rejected' });
    await expect(attest(other.id)).rejects.toMatchObject({ code: 'invalid_state' });
    expect(listGates(home.at(), false)).toEqual([]);
    expect(listGates(home.at(), true)).toHaveLength(3);
  });

  it('WM-076: who opened a gate is no attester of it, whatever it calls itself', async () => {
    using home = new ConsoleHome();
    const opener = home.party('codex:a');
    const gate = await openGate(home.at(), {
      ...home.change(),
      party: opener,
      event: 'publish',
      type: 'agent',
      required: 1,
    });
    const attest = (party: typeof opener, verdict: 'allow' | 'deny' = 'allow') =>
      attestGate(home.at(), { ...home.change(), party, id: gate.id, verdict, evidence: undefined });
    for (const party of [opener, { ...opener, name: 'agent:x' }])
      for (const verdict of ['allow', 'deny'] as const)
        await expect(attest(party, verdict)).rejects.toMatchObject({ code: 'operation_not_permitted' });
    expect(listGates(home.at(), false)).toMatchObject([{ status: 'open', attestations: [] }]);
    expect(await attest(home.party('codex:b'))).toMatchObject({ status: 'satisfied' });
  });

  it('WM-076: a review is decided once, by another', async () => {
    using home = new ConsoleHome();
    const { id } = await createReview(home.at(), {
      ...home.change(),
      party: home.party('codex:a'),
      subject: 'the patch',
      details: undefined,
      repository: null,
    });
    const close = (decision: 'proceed' | 'decline', party = home.person('human:ada')) =>
      closeReview(home.at(), { ...home.change(), party, id, decision, note: 'well done' });
    await expect(close('proceed', home.party('codex:a'))).rejects.toMatchObject({
      code: 'operation_not_permitted',
    });
    expect(await close('proceed')).toMatchObject({
      status: 'closed',
      decision: 'proceed',
      note: 'well done',
    });
    expect(await close('proceed')).toMatchObject({ decision: 'proceed' });
    await expect(close('decline')).rejects.toMatchObject({
      code: 'invalid_state',
      message: 'rev-1 was closed with proceed',
      why: 'human:ada has decided it: well done',
    });
    expect(openReviews(home.at())).toEqual([]);
  });

  it('L-17: what a party calls itself is kept bounded and without a credential', () => {
    using home = new ConsoleHome();
    const session = home.session('codex:a');
    expect(partyNamed(session, 'human:ada', `x ${'y'.repeat(10_000)}`).name.length).toBeLessThanOrEqual(500);
    expect(partyNamed(session, 'human:ada', 'token = abcdefghijklmnop1').name).toContain('<redacted');
    expect(partyNamed(undefined, 'token = abcdefghijklmnop1').actor).toContain('<redacted');
    expect(partyNamed(session, 'human:ada')).toMatchObject({ name: 'codex:a@here', actor: 'human:ada' });
    expect(() => partyNamed(session, 'human:ada', ' ')).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
  });
});
