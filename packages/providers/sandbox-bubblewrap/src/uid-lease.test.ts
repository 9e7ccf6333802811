import {
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leaseUid, releaseUidsOf } from './uid-lease.ts';
import { giveTree } from '@palisade/sandbox-process';

const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot)('user ids of a root supervisor (skipped unless root)', () => {
  it('no two leases hold one id, also for the same attempt', () => {
    const attempt = `att_lease_${process.pid}`;
    const leases = Array.from({ length: 20 }, () => leaseUid(attempt));
    expect(new Set(leases.map((lease) => lease.uid)).size).toBe(20);
    expect(Math.min(...leases.map((lease) => lease.uid))).toBeGreaterThanOrEqual(50_000);
    const first = leases[0]?.uid;
    releaseUidsOf(attempt);
    const again = leaseUid(attempt);
    expect(again.uid).toBe(first);
    again.release();
  });

  it('a tree is given away without following links, and a file with a name elsewhere is not', () => {
    const root = mkdtempSync(join(tmpdir(), 'palisade-owner-'));
    try {
      const [tree, outside] = [join(root, 'tree'), join(root, 'outside')];
      mkdirSync(join(tree, 'deep'), { recursive: true });
      writeFileSync(outside, '');
      symlinkSync(outside, join(tree, 'deep', 'link'));
      linkSync(outside, join(tree, 'deep', 'shared'));
      writeFileSync(Buffer.concat([Buffer.from(`${tree}/deep/`), Buffer.from([0xff, 0xfe])]), '');
      chownSync(outside, 0, 0);
      giveTree(tree, 61_000);
      expect(lstatSync(outside).uid).toBe(0);
      expect(lstatSync(join(tree, 'deep', 'link')).uid).toBe(61_000);
      expect(lstatSync(join(tree, 'deep')).uid).toBe(61_000);
      expect(lstatSync(Buffer.concat([Buffer.from(`${tree}/deep/`), Buffer.from([0xff, 0xfe])])).uid).toBe(
        61_000,
      );
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
