import { describe, expect, test } from 'vitest';
import { claudeAuthSecrets } from './claude-auth.ts';

const both = { CLAUDE_CODE_OAUTH_TOKEN: 'token', ANTHROPIC_API_KEY: 'key' };

describe('DI-063: exactly one credential of Claude Code is chosen', () => {
  test.each([
    [both, 'subscription', { CLAUDE_CODE_OAUTH_TOKEN: { inline: 'token' } }],
    [{ ANTHROPIC_API_KEY: 'key' }, 'api-key', { ANTHROPIC_API_KEY: { inline: 'key' } }],
    [
      { CLAUDE_CODE_OAUTH_TOKEN: '', ANTHROPIC_API_KEY: 'key' },
      'api-key',
      { ANTHROPIC_API_KEY: { inline: 'key' } },
    ],
    [{ ...both, PALISADE_CLAUDE_AUTH: 'api-key' }, 'api-key', { ANTHROPIC_API_KEY: { inline: 'key' } }],
    [{ ...both, PANGOLIN_CLAUDE_AUTH: 'api-key' }, 'api-key', { ANTHROPIC_API_KEY: { inline: 'key' } }],
  ])('%o gives %s', (env, mode, secrets) => {
    expect(claudeAuthSecrets(env)).toEqual({
      mode,
      credentialName: Object.keys(secrets)[0],
      present: true,
      secrets,
    });
  });

  test('a forced one that is not there is absent, and the other does not stand in', () => {
    expect(claudeAuthSecrets({ ANTHROPIC_API_KEY: 'key', PALISADE_CLAUDE_AUTH: 'subscription' })).toEqual({
      mode: 'subscription',
      credentialName: 'CLAUDE_CODE_OAUTH_TOKEN',
      present: false,
      secrets: {},
    });
    expect(claudeAuthSecrets({})).toMatchObject({ mode: 'api-key', present: false });
  });

  test('another word is refused', () => {
    expect(() => claudeAuthSecrets({ PALISADE_CLAUDE_AUTH: 'both' })).toThrow(
      'PALISADE_CLAUDE_AUTH must be subscription or api-key',
    );
  });
});
