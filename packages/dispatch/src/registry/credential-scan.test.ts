import { CREDENTIAL_PATTERNS, isPalisadeError, type PalisadeError } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { assertNoCredentials, findCredential } from './credential-scan.ts';

// Put together at run time, so that this file itself holds nothing that looks like a credential.
const join = (...parts: string[]): string => parts.join('');
const SAMPLES: Record<(typeof CREDENTIAL_PATTERNS)[number], string[]> = {
  'aws-access-key': [join('AK', 'IAIOSFODNN7EXAMPLE')],
  'aws-session-key': [join('AS', 'IAIOSFODNN7EXAMPLE')],
  jwt: [join('ey', 'JhbGciOiJIUzI1NiJ9.ey', 'JzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P')],
  'bearer-prefix': [
    join('Bea', 'rer 8d1f0c2b7a694e35b1c0d9e8'),
    join('BEA', 'RER  abcdefghijklmnopqrstuvwxyz0'),
  ],
  'github-token': [join('gh', 'p_', 'a1B2'.repeat(9)), join('github', '_pat_', '11ABCDEFG0'.repeat(6))],
  'palisade-token': [
    join('pal', '_', 'a1B2-_'.repeat(7), 'A'),
    join('pal', 'r_', 'a1'.repeat(16), '.', 'b2'.repeat(32)),
  ],
  'anthropic-key': [join('sk-', 'ant-api03-', 'a1B2c3'.repeat(6))],
  'openai-key': [join('sk-', 'proj-', 'a1B2c3'.repeat(6)), join('sk-', 'a1B2'.repeat(12))],
  'google-api-key': [join('AI', 'zaSyA1234567890abcdefghijklmnopqrstuv')],
  'slack-token': [join('xo', 'xb-123456789012-abcdef'), join('xa', 'pp-1-A0123456789-123')],
  'stripe-key': [join('sk', '_live_', 'a1B2c3D4e5F6g7H8')],
  'private-key': [
    join('-----BEGIN ', 'RSA PRIVATE KEY-----'),
    join('-----BEGIN ', 'PRIVATE KEY-----'),
    join('-----BEGIN ', 'OPENSSH PRIVATE KEY-----'),
    join('-----BEGIN ', 'PGP PRIVATE KEY BLOCK-----'),
  ],
};

describe('patterns', () => {
  for (const pattern of CREDENTIAL_PATTERNS) {
    it(`DI-048: ${pattern} is found in text and in bytes, and can be allowed by name`, () => {
      for (const sample of SAMPLES[pattern]) {
        for (const around of ['', 'key = "', 'token%3D', '\u0000\u0001']) {
          const text = `first line\n${around}${sample}" # end\n`;
          expect(findCredential(text), text).toMatchObject({ pattern, line: 2 });
          expect(findCredential(Buffer.from(text))).toMatchObject({ pattern });
        }
        expect(findCredential(sample, [pattern])?.pattern).not.toBe(pattern);
      }
    });
  }

  it('DI-042: credentials in UTF-16 bytes are found', () => {
    const [sample = ''] = SAMPLES['github-token'];
    const little = Buffer.from(`\ufeffTOKEN=${sample}`, 'utf16le');
    expect(findCredential(little)).toMatchObject({ pattern: 'github-token', line: null });
    expect(findCredential(little.swap16())).toMatchObject({ pattern: 'github-token' });
  });

  it('ordinary text is let through', () => {
    for (const text of [
      'Authorization: Bearer $TOKEN',
      'Authorization: Bearer <your token here, please>',
      'the bearer of bad news',
      'bearer authentication-is-not-supported-here',
      'disk-0123456789abcdef0123456789abcdef01234567',
      'task-abcdefghijklmnopqrstuvwxyz0123456789',
      'sk-learn and sk-ant are short',
      'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      'eyJ is how a JSON web token starts',
      '-----BEGIN CERTIFICATE-----',
      '-----BEGIN PUBLIC KEY-----',
      'ghp_short',
      'principal_access_is_changed_once_for_every_revision_of_it',
      'pal_0000000000000000000000000000000000000000000',
      `palr_${'a'.repeat(32)}`,
      'AKIA',
      '',
    ])
      expect(findCredential(text), text).toBeNull();
  });
});

describe('the error', () => {
  it('DI-048: shows the pattern, the place and at most 8 characters', () => {
    for (const pattern of CREDENTIAL_PATTERNS)
      for (const sample of SAMPLES[pattern]) {
        let error: PalisadeError | undefined;
        try {
          assertNoCredentials('capability:demo:conf/x.env', `\n\nA=${sample}\n`);
        } catch (thrown) {
          if (isPalisadeError(thrown, 'credential_in_text')) error = thrown;
        }
        expect(error?.message).toContain(pattern);
        expect(error?.message).toContain('capability:demo:conf/x.env, line 3');
        const shown = JSON.stringify([error?.message, error?.why, error?.next, error?.issues, error?.stack]);
        expect(shown).toContain(sample.slice(0, 8));
        expect(shown).not.toContain(sample.slice(0, 9));
      }
  });

  it('DI-048: an exception for a pattern that does not exist is refused', () => {
    expect(() => findCredential('x', ['github-tokens'])).toThrow('unknown pattern');
  });
});

it('DI-048: hostile content of 50 MiB is scanned in linear time', () => {
  const size = 50 * 1024 * 1024;
  const hostile: Record<string, string> = {
    zeros: '\u0000',
    'run of one class': 'a',
    'jwt starts in one run': 'eyJ',
    'jwt starts at edges': 'eyJ-aaaaaa.',
    'half a jwt': `aaaa.eyJ${'a'.repeat(5000)}/`,
    'percent edges': '%3DeyJ%3Dsk-',
    'bearer and blanks': 'bearer        ',
    'bearer without digits': `bearer ${'a'.repeat(90)} `,
    'almost a token': `ghp_${'a'.repeat(35)}-`,
    'almost a key block': '-----BEGIN A B C D ',
    'openai starts': 'sk-proj-.',
    'token starts': 'pal_palr_',
    'almost a bearer': `palr_${'a'.repeat(32)}.${'b'.repeat(63)}-`,
    'aws starts': 'AKIA.',
    'slack starts': 'xoxb-.',
    'dots and starts': '.eyJ',
    'one long run on both sides': `${'a'.repeat(1_000_000)}.eyJ/`,
  };
  const timeOf = (bytes: Buffer): number => {
    const started = performance.now();
    expect(findCredential(bytes)).toBeNull();
    return performance.now() - started;
  };
  // Quadratic work would take hours even on the smaller size, linear work takes seconds on a busy machine.
  const full = new Set(['zeros', 'run of one class', 'one long run on both sides', 'almost a token']);
  for (const [what, unit] of Object.entries(hostile))
    expect(timeOf(Buffer.alloc(full.has(what) ? size : size / 8, unit, 'latin1')), what).toBeLessThan(60_000);
}, 600_000);
