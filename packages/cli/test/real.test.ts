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
    const unvouched = there('verify', 'evidence.json');
    expect(unvouched.status).toBe(6);
    expect(unvouched.stdout).toMatch(/^SIGNATURE NOT CHECKED .*without a trust root/);
    expect(unvouched.stdout).toMatch(/^n\/a +signature /m);
    expect(unvouched.stderr).toContain('next: pal verify evidence.json --trust ');
    expect(there('verify', 'tampered.json').status).toBe(1);
    const trustText = readFileSync(join(project, 'trust.json'), 'utf8');
    writeFileSync(join(project, 'other.json'), trustText.replaceAll(/"ed25519-[0-9a-f]+"/g, '"ops"'));
    const unknown = there('verify', 'evidence.json', '--trust', 'other.json');
    expect(unknown.status).toBe(1);
    expect(unknown.stdout).toMatch(/^SIGNED BY A KEY THAT IS NOT IN THE TRUST ROOT /);
    expect(unknown.stdout).not.toContain('TAMPERED');
    const mixedUp = there('verify', 'trust.json');
    expect(mixedUp.status).toBe(2);
    expect(mixedUp.stderr).toContain('trust.json is a trust root, not a bundle');
    expect(there('verify', 'evidence.json', '--trust', 'evidence.json').stderr).toContain(
      'evidence.json is a bundle, not a trust root',
    );
    expect(there('verify', 'nope.json').stderr).toContain('no such file: nope.json');
    const nowhere = pal('verify', 'nope.json');
    expect(nowhere.status).toBe(2);
    expect(nowhere.stderr).toContain('no such file: nope.json');
    const checks = JSON.parse(there('doctor', '--json').stdout) as {
      checks: { name: string; detail: string }[];
    };
    expect(checks.checks.find(({ name }) => name === 'sandbox')?.detail).toMatch(/bubblewrap|process/);
    // Everything is applied already: nothing more to suggest.
    expect(there('diff', '-', '--stat').stderr).not.toContain('pal apply');
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
    expect(
      there('evidence', 'export', '-', '-o', 'b.json', '--trust-root', './some-keys.json').stderr,
    ).toContain('next: pal verify b.json --trust ./some-keys.json');
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
