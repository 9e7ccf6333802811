import { describe, expect, it } from 'vitest';
import { namesCredential, redactCredentials } from './redact-credentials.ts';

// Put together at run time, so that this file itself holds nothing that looks like a credential.
const join = (...parts: string[]): string => parts.join('');
const SECRET = 'a1B2c3D4'.repeat(5);

describe('redactCredentials', () => {
  it.each([
    join('gh', 'p_', SECRET),
    join('sk-', 'ant-api03-', SECRET, '_', SECRET),
    join('AK', 'IAIOSFODNN7EXAMPLE'),
    join('xo', 'xb-123456789012-', SECRET),
    join('Authorization: Bea', 'rer ', SECRET),
    join('authorization: bea', 'rer ', SECRET),
    join('DEPLOY_TO', 'KEN=', SECRET),
    join('{"pass', 'word": "', SECRET, '"}'),
    join('{\\"api_k', 'ey\\":\\"', SECRET, '\\"}'),
    join('-----BEGIN ', 'RSA PRIVATE KEY-----\n', SECRET, '\n-----END RSA PRIVATE KEY-----'),
    join('-----BEGIN ', 'PRIVATE KEY-----\n', SECRET),
    join('https://user', ':', SECRET, '@example.org/x'),
    join('redis://', ':a1B2c3D4@10.0.0.1:6379'),
    join('postgres://a@b.org', ':a1B2c3D4@!,(%40@db:5432/x?y=a@b'),
    join('s3://AK', 'IAIOSFODNN7EXAMPLE', ':a1B2c3D4@bucket'),
  ])('WM-055, L-17: nothing of a credential is left of %j, and what is around it is', (credential) => {
    const redacted = redactCredentials(`before ${credential} \u{1f512}`);
    expect(redacted).toMatch(/^before .*<redacted:/);
    for (const part of ['a1B2c3D4', 'IOSFODNN7', 'EXAMPLE']) expect(redacted).not.toContain(part);
    expect(redactCredentials(redacted)).toBe(redacted);
  });

  it('a private key whose beginning is cut off is gone up to its end', () => {
    const rest = `${SECRET}\n${SECRET}\n${join('-----END ', 'RSA PRIVATE KEY-----')}\nafter`;
    expect(redactCredentials(rest)).toBe('<redacted:private-key>\nafter');
    expect(redactCredentials(`say: ${rest}`)).toBe('say:<redacted:private-key>\nafter');
  });

  it('text that only speaks of credentials stays as it is', () => {
    for (const text of [
      'max_tokens: 100000000000',
      'the token is read from $DEPLOY_TOKEN',
      join('DEPLOY_TO', 'KEN=$GITHUB_DEPLOY_TOKEN'),
      '"input_tokens":123456789012345',
      'sk-learn-contrib and a key: value',
    ])
      expect(redactCredentials(text)).toBe(text);
  });

  it('L-17: the password of a URL goes, its user and its host stay', () => {
    const redacted = redactCredentials(join('see "https://user', ':hunter2@example.org:80/x@y" and a@b.org'));
    expect(redacted).toBe('see "https://user:<redacted:url-password>@example.org:80/x@y" and a@b.org');
    for (const text of [
      'http://localhost:8080/a@b http://localhost:8080?to=a@b http://[::1]:80/ "http://x:1", a@b.org',
      join('https://user', ':$PASSWORD@example.org https://user', ':<password>@example.org'),
      'ssh://git@example.org:22/x https://example.org/@scope/x:y@1',
    ])
      expect(redactCredentials(text)).toBe(text);
  });

  it('takes no longer than its bytes, whatever URLs a text begins', () => {
    const started = performance.now();
    for (const part of ['://', '://a:', '://:', ':', '://a:@', '://a:b', '@', '://:b@'])
      for (const text of [
        part.repeat(2_000_000 / part.length),
        `://${part.replaceAll('/', '').repeat(500_000)}`,
      ])
        redactCredentials(text);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('names of members tell what their values are', () => {
    expect(['apiKey', 'access_token', 'clientSecret', 'DB_PASSWORD'].every(namesCredential)).toBe(true);
    expect(['input_tokens', 'key', 'tokenizer', 'secretary'].some(namesCredential)).toBe(false);
  });
});
