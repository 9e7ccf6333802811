import { readFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const HEAD =
  '/* Made from openapi.json by `npm run openapi`; a test fails while it says something else. */\n\n';

interface Components {
  readonly parameters: { readonly IdempotencyKey: { required: boolean } };
  readonly schemas: Record<string, object>;
}

/**
 * The types of an OpenAPI document, as TypeScript. The idempotency key of a change is optional in them, for the client makes one where
 * its caller gives none; any JSON value, which is a schema that refers to itself, is `unknown`.
 */
export async function openapiTypes(file: URL): Promise<string> {
  const document = JSON.parse(readFileSync(file, 'utf8')) as { readonly components: Components };
  const { parameters, schemas } = document.components;
  parameters.IdempotencyKey.required = false;
  for (const [name, schema] of Object.entries(schemas))
    if (JSON.stringify(schema).includes(`"#/components/schemas/${name}"`)) schemas[name] = {};
  return HEAD + astToString(await openapiTS(document as never));
}
