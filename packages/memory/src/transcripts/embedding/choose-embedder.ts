import { PalisadeError } from '@palisade/contracts';
import type { Embedder } from './embedder.ts';
import { endpointEmbedder } from './endpoint-embedder.ts';
import { localEmbedder } from './local-embedder.ts';

type Env = Readonly<Record<string, string | undefined>>;

const OPENAI = 'https://api.openai.com/v1';
const OLLAMA = 'http://localhost:11434/v1';

/**
 * What makes vectors, by `PALISADE_EMBED_*` and their old names `PALLIUM_EMBED_*` (WM-060): the local one unless a
 * provider or an endpoint is named, so that nothing leaves the machine unasked. Errors: `invalid_input`.
 */
export function chooseEmbedder(env: Env): Embedder {
  const setting = (name: string): string | undefined =>
    [env[`PALISADE_EMBED_${name}`], env[`PALLIUM_EMBED_${name}`]].find(
      (value) => value !== undefined && value !== '',
    );
  const named = setting('BASE_URL');
  const provider = setting('PROVIDER') ?? (named === undefined ? 'local' : hostOf(named));
  if (provider === 'local') return localEmbedder;
  const baseUrl = named ?? { openai: OPENAI, ollama: OLLAMA }[provider];
  if (baseUrl === undefined)
    throw new PalisadeError(
      'invalid_input',
      `nothing says where the provider ${JSON.stringify(provider)} is`,
      {
        next: 'set PALISADE_EMBED_BASE_URL',
      },
    );
  hostOf(baseUrl);
  const isOpenAi = baseUrl.startsWith(`${OPENAI}/`) || baseUrl === OPENAI;
  // The key of OpenAI goes to OpenAI only.
  const key =
    setting('API_KEY') ?? (isOpenAi ? (env['OPENAI_API_KEY'] ?? env['OPENAI_ADMIN_API_KEY']) : undefined);
  if (isOpenAi && (key ?? '') === '')
    throw new PalisadeError('invalid_input', 'OpenAI wants a key', {
      next: 'set PALISADE_EMBED_API_KEY or OPENAI_API_KEY, or leave PALISADE_EMBED_PROVIDER out',
    });
  return endpointEmbedder({ provider, model: setting('MODEL') ?? 'text-embedding-3-small', baseUrl, key });
}

function hostOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || parsed.username !== '')
    throw new PalisadeError(
      'invalid_input',
      'PALISADE_EMBED_BASE_URL is no http(s) address without a password',
    );
  return parsed.host === 'api.openai.com' ? 'openai' : parsed.host;
}
