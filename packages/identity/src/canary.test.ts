import { inspect } from 'node:util';
import {
  changePassword,
  createOperator,
  createPrincipal,
  issueCredential,
  listBrowserSessions,
  listCredentials,
  listOperators,
  listPrincipals,
  resendEmail,
  revokeCredential,
  rotateCredential,
  setEmail,
} from '@palisade/contracts';
import type { Database, SqlRow } from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it, vi } from 'vitest';
import { identityRig } from '../test/identity-rig.ts';
import { tokenHash } from './credentials/token.ts';
import type { Mail } from './email/mailer.ts';

/** Every row of every table but those named. */
async function everythingIn(database: Database, except: readonly string[]): Promise<string> {
  const tables = await database.read((tx) =>
    tx.sql.all<{ name: string }>(
      database.dialect === 'sqlite'
        ? "SELECT name FROM sqlite_master WHERE type = 'table'"
        : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()',
    ),
  );
  const rows: SqlRow[] = [];
  for (const { name } of tables)
    if (!except.includes(name))
      rows.push(...(await database.read((tx) => tx.sql.all(`SELECT * FROM ${name}`))));
  expect(tables.length).toBeGreaterThan(8);
  expect(rows.length).toBeGreaterThan(10);
  return inspect(rows, { depth: 9, maxArrayLength: null, maxStringLength: null });
}

eachDatabase('what is secret', (open) => {
  it('AC-022, AC-030, EX-202: tokens, passwords, session values and their hashes are in no event, receipt, log, error or answer', async () => {
    const written = (['stdout', 'stderr'] as const).map((name) => vi.spyOn(process[name], 'write'));
    const mails: Mail[] = [];
    const mailer = {
      send: async (mail: Mail) => {
        mails.push(mail);
        // A relay's refusal may quote the message.
        if (mails.length === 2) throw new Error(mail.text);
      },
    };
    const { call, room, database, signIn, monotonic, callerWith, clock } = await identityRig(open, {
      publicOrigin: 'https://palisade.example.com',
      mailer,
    });
    const passwords = ['canary-of-ada-4711', 'canary-of-bob-4712', 'canary-after-4713', 'canary-wrong-4714'];
    const [ofAda = '', ofBob = '', after = '', wrong = ''] = passwords;
    const answers: unknown[] = [];
    const errors: unknown[] = [];
    const fails = async (action: () => Promise<unknown>): Promise<void> => {
      errors.push(
        await action().then(
          () => 'no error',
          (error: unknown) => error,
        ),
      );
    };
    answers.push(await room.initAdmin({ name: 'ada', password: ofAda }));
    const first = await signIn('ada', ofAda);
    const ada = await room.authenticateSession(first.cookie.value);
    if (ada === null) throw new Error('not signed in');
    const key = { idempotencyKey: 'k' };
    const bob = { name: 'bob', role: 'operator', password: ofBob } as const;
    answers.push(await call(createOperator, bob, ada, key), await call(createOperator, bob, ada, key));
    const made = await call(createPrincipal, { name: 'ci', kind: 'agent' }, ada, key);
    const issued = await call(issueCredential, { principal: made.principal.id, name: 'two' }, ada, key);
    const rotated = await call(
      rotateCredential,
      { credential: issued.credential.id, name: 'three' },
      ada,
      key,
    );
    answers.push(await call(createPrincipal, { name: 'ci', kind: 'agent' }, ada, key));
    answers.push(await call(revokeCredential, { credential: made.credential.id }, ada, key));
    const agent = await callerWith(rotated.token);
    answers.push(await call(setEmail, { expected_revision: 1, email: 'ada@example.com' }, ada));
    clock.skew = 60_000;
    answers.push(await call(resendEmail, {}, ada));
    const links = () =>
      mails.flatMap(({ text }) => [...text.matchAll(/token=([\w-]{43})/g)].map(([, token]) => String(token)));
    answers.push(await room.verifyEmail(links()[1] ?? ''));
    const forgot = room.forgotPassword({ email: 'ada@example.com' });
    await forgot.sent;
    await fails(() => room.resetPassword({ token: links()[2] ?? '', password: wrong, confirmation: ofAda }));
    await fails(() => room.resetPassword({ token: links()[1] ?? '', password: wrong, confirmation: wrong }));
    const change = { current_password: ofAda, new_password: after, expected_revision: 1 };

    await fails(() => signIn('ada', wrong));
    await fails(() => signIn(wrong, wrong));
    await fails(() => signIn(first.cookie.value, made.token ?? ''));
    await fails(() => call(createOperator, { ...bob, password: wrong }, ada, key));
    await fails(() => call(createOperator, { ...bob, name: 'ada', password: wrong }, ada));
    await fails(() => call(createOperator, { ...bob, password: wrong }, agent));
    await fails(() => call(createOperator, { ...bob, password: wrong, more: wrong } as never, ada));
    await fails(() => call(changePassword, { ...change, current_password: wrong }, ada));
    await fails(() => call(changePassword, { ...change, expected_revision: 9 }, ada));
    await fails(() => call(changePassword, change, agent));
    await fails(() => call(revokeCredential, { credential: made.token ?? '' }, ada));
    await fails(() => room.initAdmin({ name: 'eve', password: wrong }));
    await fails(() => room.initAdmin({ name: 'eve', password: `${ofAda}\ud800` }));
    await fails(() => room.recoverPassword({ name: 'ada', password: wrong, reason: wrong }));
    await fails(() => room.recoverPassword({ name: 'eve', password: wrong, reason: 'lost' }));
    answers.push(await room.recoverPassword({ name: 'bob', password: wrong, reason: 'lost' }));
    monotonic.now += 60_000;
    answers.push(await call(changePassword, change, ada));
    await fails(() => call(createOperator, bob, ada, key));
    const last = await signIn('ada', after, first.cookie.value);
    await room.logout(last.cookie.value);
    for (let i = 0; i < 3; i++) await signIn('ada', after);
    await fails(() => signIn('ada', after));
    for (const list of [listPrincipals, listCredentials, listOperators]) answers.push(await call(list, {}));
    answers.push(await call(listBrowserSessions, { principal: ada.principal ?? '' }));

    expect(errors).not.toContain('no error');
    for (const error of errors) expect(error, inspect(error)).toHaveProperty('code');
    expect(links()).toHaveLength(3);
    const sent = [made.token, issued.token, rotated.token, first.cookie.value, last.cookie.value].map(String);
    const tokens = [...sent, ...links()];
    const csrf = [first.csrf_token, last.csrf_token];
    const stored = await database.read((tx) => tx.sql.all<{ hash: string }>('SELECT hash FROM passwords'));
    expect(stored).toHaveLength(2);
    const hashes = [...sent.map(tokenHash), ...stored.map(({ hash }) => hash)];
    const seen = {
      errors: inspect(errors, { depth: 9, showHidden: true }),
      answers: inspect(answers, { depth: 9 }),
      output: inspect(written.map(({ mock }) => mock.calls)),
      database: await everythingIn(database, []),
      elsewhere: await everythingIn(database, ['credentials', 'passwords', 'browser_sessions', 'mail_links']),
    };
    vi.restoreAllMocks();
    for (const [where, text] of Object.entries(seen)) {
      const forbidden = [
        ...passwords,
        ...tokens,
        ...csrf,
        ...(where === 'database' ? [] : [...hashes, ...links().map(tokenHash)]),
      ];
      for (const value of forbidden) {
        expect(value.length).toBeGreaterThan(12);
        expect(text.includes(value), `${where} holds ${value}`).toBe(false);
        expect(
          text.includes(Buffer.from(value).toString('base64').slice(0, 16)),
          `${where} holds ${value}`,
        ).toBe(false);
      }
    }
    // The hashes are where they belong, so what was looked for is what there is.
    for (const hash of hashes) expect(seen.database).toContain(hash);
  });

  it('every error of this room says what helps', async () => {
    const { call, room, admin } = await identityRig(open);
    await admin();
    const missing = { credential: `crd_${'0'.repeat(32)}` };
    for (const failing of [
      () => call(revokeCredential, missing),
      () => call(rotateCredential, { ...missing, name: 'x' }),
      () => call(issueCredential, { principal: `prn_${'0'.repeat(32)}`, name: 'x' }),
      () => room.initAdmin({ name: 'eve', password: 'long enough, this' }),
      () => room.login({ name: 'eve', password: 'x' }),
    ])
      await expect(failing()).rejects.toMatchObject({ next: expect.stringMatching(/\w/) });
  });
});
