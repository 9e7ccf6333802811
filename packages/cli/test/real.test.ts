import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BIN, Place } from './spawn.ts';

describe('the real installation', () => {
  it('the demo runs, applies, exports, verifies, and catches one changed byte', () => {
    using place = new Place({ runs: [] });
    const pal = (...args: string[]) =>
      spawnSync(process.execPath, [BIN, ...args], {
        encoding: 'utf8',
        cwd: place.directory,
        env: place.env(),
      });
    const demo = pal('demo', '--keep', '--idempotency-key', 'mine');
    expect(demo.stdout).toContain('The change was found: exit 1.');
    expect(demo.stdout).toContain('Every test of the project passes now.');
    expect(demo.stdout).toMatch(/^retry +fix-greet /m);
    expect(demo.status).toBe(0);

    // What --keep left is an ordinary project.
    const project = /the project stays in (.+)/.exec(demo.stdout)?.[1] ?? '';
    expect(existsSync(join(project, '.palisade'))).toBe(true);
    const there = (...args: string[]) => pal('-C', project, ...args);
    expect(there('verify', '-').stdout).toContain('own keys, which vouch for themselves');
    expect(there('verify', 'evidence.json').stdout).toContain('without a trust root');
    const trusted = there('verify', 'evidence.json', '--trust', 'trust.json');
    expect(trusted).toMatchObject({ status: 0 });
    expect(trusted.stdout).toMatch(/^TAMPER-DETECTING /);
    expect(trusted.stdout).toContain('more (--full)');
    expect(there('verify', 'evidence.json', '--trust', 'trust.json', '--full').stdout).not.toContain(
      '--full',
    );
    expect(there('verify', 'tampered.json', '--trust', 'trust.json').status).toBe(1);

    writeFileSync(join(project, 'taken'), 'mine');
    expect(there('evidence', 'export', '-', '-o', 'taken')).toMatchObject({ status: 2 });
    expect(readFileSync(join(project, 'taken'), 'utf8')).toBe('mine');
    expect(there('evidence', 'export', '-', '-o', 'taken', '--force').status).toBe(0);
    expect(readFileSync(join(project, 'taken'))).toEqual(readFileSync(join(project, 'evidence.json')));
    expect(there('evidence', 'export', '-', '--trust-root', 'keys').status).toBe(0);
    expect(readFileSync(join(project, 'keys'))).toEqual(readFileSync(join(project, 'trust.json')));

    expect(there('apply', '-', '--revert').status).toBe(0);
    expect(
      spawnSync('git', ['status', '--porcelain', 'src'], { cwd: project, encoding: 'utf8' }).stdout,
    ).toBe('');
    expect(there('artifact', 'get', '-/check:report.txt').stdout).toContain('ok   price');
    spawnSync('rm', ['-rf', project]);
    expect(pal('demo', '--sandbox', 'no-such-sandbox').status).toBe(6);
  }, 240_000);
});
