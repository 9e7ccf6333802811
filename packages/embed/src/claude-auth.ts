import { PalisadeError } from '@palisade/contracts';

/** Which of the two credentials of Claude Code is to be used, and its value for an environment or a secret. */
export interface ClaudeAuth {
  readonly mode: 'subscription' | 'api-key';
  /** The variable it comes from, and the one the program reads. */
  readonly credentialName: 'CLAUDE_CODE_OAUTH_TOKEN' | 'ANTHROPIC_API_KEY';
  /** False when the variable is not set or empty: `secrets` is empty then. */
  readonly present: boolean;
  /** Ready for `environments.register({ secrets })`; never both, because the program prefers the key to the token. */
  readonly secrets: Readonly<Record<string, { readonly inline: string }>>;
}

/**
 * Chooses exactly one credential of Claude Code (DI-063): the one that `PALISADE_CLAUDE_AUTH` (or `PANGOLIN_CLAUDE_AUTH`)
 * forces, else the subscription's token where it is set, else the API key. `invalid_input` for another word
 * than `subscription` and `api-key`.
 *
 * Where a model endpoint can be used, prefer it: the credential then never enters the sandbox.
 */
export function claudeAuthSecrets(env: Readonly<Record<string, string | undefined>>): ClaudeAuth {
  const forced = env['PALISADE_CLAUDE_AUTH'] || env['PANGOLIN_CLAUDE_AUTH'];
  if (forced && forced !== 'subscription' && forced !== 'api-key')
    throw new PalisadeError('invalid_input', 'PALISADE_CLAUDE_AUTH must be subscription or api-key');
  const mode = forced || (env['CLAUDE_CODE_OAUTH_TOKEN'] ? 'subscription' : 'api-key');
  const credentialName = mode === 'subscription' ? 'CLAUDE_CODE_OAUTH_TOKEN' : 'ANTHROPIC_API_KEY';
  const value = env[credentialName];
  return {
    mode: mode === 'subscription' ? 'subscription' : 'api-key',
    credentialName,
    present: Boolean(value),
    secrets: value ? { [credentialName]: { inline: value } } : {},
  };
}
