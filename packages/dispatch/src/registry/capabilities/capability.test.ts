import {
  type CapabilityFile,
  contentHash,
  decodeBundle,
  getCapability,
  limits,
  listCapabilities,
  registerCapability,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { openRegistry } from '../../../test/open-registry.ts';
import { bundleOf } from './capability.ts';

const file = (path: string, text: string | Buffer = '', executable?: boolean): CapabilityFile => ({
  path,
  base64: Buffer.from(text).toString('base64'),
  ...(executable === undefined ? {} : { executable }),
});
const TOKEN = ['gh', 'p_', 'a1B2'.repeat(9)].join('');

eachDatabase('capabilities', (open) => {
  it('DI-041: registering stores the bundle, and equal content registered again changes nothing', async () => {
    const { caller, registry, blobs } = await openRegistry(open);
    const files = [file('run.sh', '#!/bin/sh\n', true), file('SKILL.md', '# Skill\n')];
    const first = await caller.call(registerCapability, { name: 'skill', files });
    expect(first).toMatchObject({ name: 'skill', revision: 1, created: true });
    const again = await caller.call(registerCapability, { name: 'skill', files: files.toReversed() });
    expect(again).toEqual({ ...first, created: false });
    expect(await registry.resolveCapability('skill')).toEqual({ name: 'skill', hash: first.hash });
    expect(await registry.resolveCapability(first.hash)).toEqual({ name: 'skill', hash: first.hash });
    const bundle = decodeBundle(await blobs.get(first.hash));
    expect(bundle.files.map(({ path, executable }) => [path, executable])).toEqual([
      ['SKILL.md', false],
      ['run.sh', true],
    ]);
  });

  it('DI-029: registering former content again makes it the latest; older content stays addressable', async () => {
    const { caller, registry } = await openRegistry(open);
    const register = (text: string) =>
      caller.call(registerCapability, { name: 'c', files: [file('a', text)] });
    const [a, b, again] = [await register('A'), await register('B'), await register('A')];
    expect(again).toMatchObject({ revision: 3, hash: a.hash, created: true });
    expect((await registry.resolveCapability('c')).hash).toBe(a.hash);
    expect((await registry.resolveCapability(b.hash)).hash).toBe(b.hash);
  });

  it('a repeated call with its key gets the first answer and does not roll the name back', async () => {
    const { caller, registry } = await openRegistry(open);
    const call = (text: string, idempotencyKey: string) =>
      caller.call(registerCapability, { name: 'c', files: [file('a', text)] }, { idempotencyKey });
    const first = await call('A', 'k1');
    const second = await call('B', 'k2');
    expect(await call('A', 'k1')).toEqual(first);
    expect((await registry.resolveCapability('c')).hash).toBe(second.hash);
    await expect(call('C', 'k1')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  });

  it('DI-042: unsafe and colliding paths are refused, and nothing is stored', async () => {
    const { caller, blobs } = await openRegistry(open);
    const cases: CapabilityFile[][] = [
      [file('../x')],
      [file('/x')],
      [file('a\\b')],
      [file('a//b')],
      [file('.git/hooks/pre-commit')],
      [file('.Palisade/x')],
      [file('a'), file('a')],
      [file('README.md'), file('readme.md')],
      [file('a'), file('a/b')],
    ];
    for (const files of cases)
      await expect(caller.call(registerCapability, { name: 'c', files })).rejects.toMatchObject({
        code: 'unsafe_path',
      });
    expect((await blobs.list({ limit: 1 })).hashes).toEqual([]);
    expect(await caller.call(listCapabilities, {})).toEqual({ data: [], has_more: false });
  });

  it('DI-042: credentials are found in files sent as bytes, and the pattern can be allowed', async () => {
    const { caller } = await openRegistry(open);
    const input = { name: 'c', files: [file('conf.env', Buffer.from(`\u0000\u0001${TOKEN}`))] };
    await expect(caller.call(registerCapability, input)).rejects.toMatchObject({
      code: 'credential_in_text',
      issues: [{ path: 'capability:c:conf.env', message: 'github-token' }],
    });
    const allowed = { ...input, allow_credential_patterns: ['github-token'] };
    expect((await caller.call(registerCapability, allowed)).created).toBe(true);
    const typo = { ...input, allow_credential_patterns: ['github'] };
    await expect(caller.call(registerCapability, typo)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('DI-049: the catalogue shows names, revisions, addresses and times, a page at a time', async () => {
    const { caller } = await openRegistry(open);
    for (const name of ['b', 'a', 'c'])
      await caller.call(registerCapability, { name, files: [file('x', `secret body of ${name}`)] });
    const first = await caller.call(listCapabilities, { limit: 2 });
    expect(first).toMatchObject({ has_more: true, next_cursor: 'b' });
    const second = await caller.call(listCapabilities, { limit: 2, cursor: 'b' });
    expect([...first.data, ...second.data].map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(second).not.toHaveProperty('next_cursor');
    const got = await caller.call(getCapability, { name: 'a' });
    expect(Object.keys(got.row ?? {}).sort()).toEqual(['hash', 'name', 'registered_at', 'revision']);
    expect(got.revisions).toEqual([got.row]);
    expect(await caller.call(getCapability, { name: 'none' })).toEqual({ row: null, revisions: [] });
  });

  it('FF-088: big bundles are stored outside the writer transaction while small writes go on', async () => {
    const { caller, database } = await openRegistry(open);
    const big = file('big', Buffer.alloc(30 * 1024 * 1024, 'x'));
    let slowest = 0;
    const small = async (i: number): Promise<void> => {
      const body = database.write(async (tx) => {
        const started = performance.now();
        await tx.leases.claim(`lease ${i}`, 'me', 1000);
        return performance.now() - started;
      });
      slowest = Math.max(slowest, await body);
    };
    const storing = caller.call(registerCapability, { name: 'big', files: [big] });
    for (let i = 0; i < 50; i++) await small(i);
    expect((await storing).created).toBe(true);
    expect(slowest).toBeLessThan(1000);
  });
});

it('DI-041: a bundle over 50 MiB is refused before it is decoded', () => {
  const third = 'A'.repeat(Math.ceil(limits.capabilityBytes / 3 / 3) * 4 + 400);
  const files = ['a', 'b', 'c'].map((path) => ({ path, base64: third }));
  expect(() => bundleOf('big', files)).toThrow('more than 52428800 bytes');
});

it('what is not base64 is refused instead of being cut', () => {
  for (const base64 of ['abc', 'YQ', 'YQ==\n', 'Y Q==', '%%%%', 'YR=='])
    expect(() => bundleOf('c', [{ path: 'a', base64 }]), base64).toThrow('not base64');
  expect(contentHash(bundleOf('c', [{ path: 'a', base64: 'YQ==' }]))).toMatch(/^sha256:/);
});
