import type { ClaudeCodeChoice } from '@palisade/contracts';

/** Variables with which Claude Code can be given a credential, in the order in which one of them is chosen (DI-063). */
const CREDENTIALS = ['CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'] as const;
/** Say where the model is; beside an endpoint of the operator's they would lead away from it. */
const WHEREABOUTS = [
  'ANTHROPIC_BASE_URL',
  'ANTHROPIC_UNIX_SOCKET',
  'ANTHROPIC_CUSTOM_HEADERS',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
];
const CLOUDS = WHEREABOUTS.filter((name) => name.startsWith('CLAUDE_CODE_USE_'));

/**
 * An environment with exactly one credential: the CLI ranks some of them above others, so a second one
 * would silently win or lose (DI-063). `auth` chooses; otherwise the token of a subscription counts before
 * a key. Null when there is none, or not the one that `auth` asks for.
 */
export function withOneCredential(
  env: Readonly<Record<string, string>>,
  auth: ClaudeCodeChoice['auth'],
): Record<string, string> | null {
  // At a cloud the credential is the cloud's.
  if (CLOUDS.some((name) => (env[name] ?? '') !== '')) return without(env, CREDENTIALS);
  const wanted =
    auth === undefined
      ? CREDENTIALS
      : CREDENTIALS.filter((name) => (name === 'CLAUDE_CODE_OAUTH_TOKEN') === (auth === 'subscription'));
  const chosen = wanted.find((name) => (env[name] ?? '') !== '');
  if (chosen === undefined) return null;
  return without(
    env,
    CREDENTIALS.filter((name) => name !== chosen),
  );
}

/** An environment in which the placeholder is the only credential, and the relay the only place of the model. */
export function withPlaceholder(
  env: Readonly<Record<string, string>>,
  credential: 'api-key' | 'subscription',
  placeholder: string,
  origin: string,
): Record<string, string> {
  return {
    ...without(env, [...CREDENTIALS, ...WHEREABOUTS]),
    [credential === 'subscription' ? 'CLAUDE_CODE_OAUTH_TOKEN' : 'ANTHROPIC_API_KEY']: placeholder,
    ANTHROPIC_BASE_URL: origin,
  };
}

function without(env: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}
