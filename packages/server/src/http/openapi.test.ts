import { readFileSync } from 'node:fs';
import { declaredOperations } from '@palisade/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { apiReferenceOf } from '../../../../scripts/api-reference.ts';
import { openapiOf } from './openapi.ts';
import { openapiText } from './openapi-text.ts';

const committed = readFileSync(new URL('../../../../openapi.json', import.meta.url), 'utf8');

it('EX-217: the committed document is what the declarations say (npm run openapi writes it)', () => {
  expect(openapiText()).toBe(committed);
});

it('the reference for people says the same (npm run openapi writes it)', () => {
  const root = new URL('../../../../', import.meta.url);
  expect(apiReferenceOf(new URL('openapi.json', root))).toBe(
    readFileSync(new URL('docs/api-reference.md', root), 'utf8'),
  );
});

it('EX-217: every operation is in it once, and every reference leads somewhere', () => {
  const document = openapiOf(declaredOperations()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const ids = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map((each) => each.operationId),
  );
  expect(ids.toSorted()).toEqual(
    declaredOperations()
      .map(({ id }) => id.replaceAll(/[.-]/g, '_'))
      .toSorted(),
  );
  for (const [, pointer = ''] of committed.matchAll(/"\$ref": "#\/([^"]+)"/g)) {
    let at: unknown = document;
    for (const part of pointer.split('/')) at = (at as Record<string, unknown> | undefined)?.[part];
    expect(at, pointer).toBeDefined();
  }
});

it('its schemas are schemas: each compiles', () => {
  const document = JSON.parse(committed) as { components: object; paths: Record<string, object> };
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'api:', ...document });
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, described] of Object.entries(methods)) {
      const { content } = (described as { responses: { 200: { content: object } } }).responses[200];
      const [type = ''] = Object.keys(content);
      const pointer = [path, method, 'responses', '200', 'content', type, 'schema']
        .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
        .join('/');
      expect(ajv.compile({ $ref: `api:#/paths/${pointer}` })).toBeTypeOf('function');
    }
});
