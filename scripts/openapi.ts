import { writeFileSync } from 'node:fs';
import { openapiText } from '../packages/server/src/http/openapi-text.ts';
import { apiReferenceOf } from './api-reference.ts';
import { openapiTypes } from './openapi-types.ts';

/**
 * Writes `openapi.json`, the API as it is declared, and what is made of it: the client's types and the reference for people. Tests fail
 * while the files say something else.
 */
const document = new URL('../openapi.json', import.meta.url);
writeFileSync(document, openapiText());
writeFileSync(
  new URL('../packages/client/src/generated/openapi.ts', import.meta.url),
  await openapiTypes(document),
);
writeFileSync(new URL('../docs/api-reference.md', import.meta.url), apiReferenceOf(document));
