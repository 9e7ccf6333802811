import { copyFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { submitPlan } from '@palisade/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ended,
  makeRepository,
  openAt,
  palisade,
  removeInstallation,
  startEngine,
  verified,
} from '../support/installation.ts';
import { freshDatabase } from '../support/installation-database.ts';

let root = '';
let plan = '';
const at = (name: string): string => join(root, name);
const KEY = '.palisade/signer.key';
const server = process.env['PALISADE_TEST_POSTGRES'];
const nextKeys = (): string[] => readdirSync(at('.palisade')).filter((name) => name.includes('.next'));

/** The same project on a PostgreSQL database of its own. */
async function inOtherDatabase(): Promise<Awaited<ReturnType<typeof openAt>>> {
  Object.assign(process.env, await freshDatabase(server ?? ''));
  try {
    return await openAt(root);
  } finally {
    delete process.env['PALISADE_DATABASE_URL'];
  }
}

beforeAll(() => {
  root = makeRepository({ 'a.txt': 'zero\n' });
  // Beside the control plane that is not there yet.
  plan = at('plan.json');
  writeFileSync(plan, JSON.stringify({ items }));
});
afterAll(() => removeInstallation(root));

const items = [{ id: 'a', command: 'true' }];

async function finish(run: string): Promise<void> {
  const plane = await openAt(root);
  try {
    await plane.call(submitPlan, { plan: { items }, run_id: run, sandbox: 'process' });
    await startEngine(plane);
    expect((await ended(plane, run)).run.state).toBe('completed');
  } finally {
    await plane.close();
  }
}

/** The key that a run's evidence is signed with, verified by the installation's present trust root alone. */
async function signerOf(run: string): Promise<string> {
  const plane = await openAt(root);
  try {
    const { report } = await verified(plane, run);
    expect(report).toMatchObject({ run_id: run, intact: true });
    const detail = report.checks.find(({ name }) => name === 'signature')?.detail;
    return /^key (\S+) /.exec(detail ?? '')?.[1] ?? '';
  } finally {
    await plane.close();
  }
}

describe('replacing the signing key', { timeout: 240_000 }, () => {
  it('DI-252: evidence of before and after a rotation verifies, each by its own key; the first run needs no set-up', async () => {
    const first = await palisade(root, ['run', plan, '--run-id', 'before', '--sandbox', 'process']);
    expect(first.code, first.stderr).toBe(0);
    expect(first.stderr).toContain('note: control plane created in ');
    const old = await signerOf('before');
    copyFileSync(at(KEY), at('old.key'));

    const shown = await palisade(root, ['evidence', 'rotate-key', '--dry-run', '--json']);
    expect(JSON.parse(shown.stdout)).toEqual({ retired: old });
    expect((await palisade(root, ['evidence', 'rotate-key'])).code).toBe(2);
    expect((await palisade(root, ['evidence', 'rotate-key', '--confirm', 'another'])).code).toBe(5);
    expect(readFileSync(at(KEY))).toEqual(readFileSync(at('old.key')));

    // An engine that still lives signs with the new key from now on.
    await finish('meanwhile');
    const args = ['evidence', 'rotate-key', '--confirm', old, '--idempotency-key', 'once', '--json'];
    const rotated = await palisade(root, args);
    expect(rotated.code, rotated.stderr).toBe(0);
    const { keyid } = JSON.parse(rotated.stdout) as { keyid: string };
    await finish('after');
    expect([await signerOf('before'), await signerOf('meanwhile'), await signerOf('after')]).toEqual([
      old,
      old,
      keyid,
    ]);
    expect(readFileSync(at(KEY), 'utf8')).not.toBe(readFileSync(at('old.key'), 'utf8'));
    expect(nextKeys()).toEqual([]);
    expect((await palisade(root, args)).stdout).toBe(rotated.stdout);
    expect(await signerOf('after')).toBe(keyid);

    const { trust_root } = JSON.parse(
      (await palisade(root, ['evidence', 'trust-root', '--json'])).stdout,
    ) as {
      trust_root: { keys: Record<string, { not_after?: string }> };
    };
    expect(Object.keys(trust_root.keys).toSorted()).toEqual([old, keyid].toSorted());
    expect(trust_root.keys[old]?.not_after).toBeDefined();
    expect(trust_root.keys[keyid]?.not_after).toBeUndefined();
  });

  it('a process that died between the commit and the exchange of the files left nothing undone', async () => {
    // As it was at that moment: the new key beside the old one.
    renameSync(at(KEY), at(`${KEY}.next-${await signerOf('after')}`));
    copyFileSync(at('old.key'), at(KEY));
    await finish('recovered');
    expect(await signerOf('recovered')).toBe(await signerOf('after'));
    expect(nextKeys()).toEqual([]);
  });

  it.skipIf(server === undefined)(
    'another database of the project, whose engine was running meanwhile, signs with the new key too',
    async () => {
      const old = await signerOf('recovered');
      const other = await inOtherDatabase();
      try {
        const plan = {
          items: [{ id: 'a', command: `until [ -e '${at('.palisade/go')}' ]; do sleep 0.1; done` }],
        };
        await other.call(submitPlan, { plan, run_id: 'slow', sandbox: 'process' });
        await startEngine(other);
        expect((await palisade(root, ['evidence', 'rotate-key', '--confirm', old])).code).toBe(0);
        writeFileSync(at('.palisade/go'), '');
        expect((await ended(other, 'slow')).run.state).toBe('completed');
        const { report } = await verified(other, 'slow');
        expect(report.intact).toBe(true);
        const signature = report.checks.find(({ name }) => name === 'signature')?.detail;
        expect(signature).toMatch(/^key ed25519-/);
        expect(signature).not.toContain(old);
      } finally {
        await other.close();
      }
    },
  );

  it('a key file that is older than the database is refused, with what to do', async () => {
    copyFileSync(at(KEY), at('new.key'));
    copyFileSync(at('old.key'), at(KEY));
    const refused = await palisade(root, ['status']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/the signing key ed25519-\w+ has been retired/);
    expect(refused.stderr).toContain('from the newest backup');
    copyFileSync(at('new.key'), at(KEY));
    expect((await palisade(root, ['status'])).code).toBe(0);
  });
});
