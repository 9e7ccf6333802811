import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { openapiText } from '../packages/server/src/http/openapi-text.ts';

/** Writes `openapi.json`, the API as it is declared. A test fails while the file says something else. */
writeFileSync(resolve(import.meta.dirname, '../openapi.json'), openapiText());
