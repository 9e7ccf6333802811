import type { ModelEndpointDefinition, ModelEndpointInput } from '@palisade/contracts';
import { assertNoCredentials } from '../credential-scan.ts';

/** Raises `credential_in_text` when an address or a name of a model looks like a credential: the key is a secret of its own. */
export function scanModelEndpoint(input: ModelEndpointInput): void {
  const { name, url, default_model: fallback, models = {} } = input;
  const texts = { url, default_model: fallback ?? '', ...models };
  for (const [place, text] of Object.entries(texts))
    assertNoCredentials(`model-endpoint:${name}:${place}`, text, []);
}

/** The immutable definition. Optional members are present only when set, so that its address depends on nothing else. */
export function modelEndpointDefinition(input: ModelEndpointInput): ModelEndpointDefinition {
  const { name, kind, url, secret, credential, private: isPrivate, default_model: fallback, models } = input;
  return {
    schema_version: 1,
    name,
    kind,
    url,
    secret,
    credential: credential ?? 'api-key',
    ...(isPrivate === true ? { private: true } : {}),
    ...(fallback === undefined ? {} : { default_model: fallback }),
    ...(models === undefined || Object.keys(models).length === 0 ? {} : { models }),
  };
}
