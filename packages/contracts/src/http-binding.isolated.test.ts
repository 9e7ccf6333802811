import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { inputReader, queryFields, requestOf } from './http-binding.ts';
import { type Operation, operation } from './operation.ts';

const declared = (method: Operation['method'], path: Operation['path'], input: z.ZodType) =>
  operation({
    id: 'things.do',
    method,
    path,
    summary: 'Does',
    effect: 'read',
    access: 'read',
    input,
    output: z.strictObject({}),
    errors: [],
  });
const find = declared(
  'GET',
  '/v1/projects/{project}/things/{name}',
  z.strictObject({
    name: z.string(),
    state: z.array(z.enum(['a', 'b'])).optional(),
    limit: z.int().optional(),
    deep: z.boolean().optional(),
    text: z.string().optional(),
  }),
);
const change = declared(
  'POST',
  '/v1/projects/{project}/things/{name}',
  z.strictObject({ name: z.string(), value: z.json() }),
);

/** Through the wire and back. */
const round = (op: Operation, input: Record<string, unknown>) => {
  const { target, body } = requestOf(op, input, 'my project');
  const url = new URL(target, 'http://localhost');
  const [, project = '', name = ''] = /^\/v1\/projects\/([^/]+)\/things\/([^/]+)$/.exec(url.pathname) ?? [];
  const params = { project: decodeURIComponent(project), name: decodeURIComponent(name) };
  expect(params.project).toBe('my project');
  const told: unknown = body === undefined ? undefined : JSON.parse(JSON.stringify(body));
  return inputReader(op)({ params, query: url.searchParams, body: told });
};

describe('an operation in an HTTP request', () => {
  it.each([
    { name: 'x' },
    { name: 'a/b?c=d#e %2F ü', state: ['a'], limit: -3, deep: false, text: '12' },
    { name: '...', state: ['a', 'b'], text: 'true' },
  ])('comes back as it was sent: %j', (input) => {
    expect(round(find, input)).toEqual(input);
  });

  it.each(['.', '..', ''])('cannot name %j in a path', (name) => {
    const refused = expect.objectContaining({ code: 'invalid_input' });
    expect(() => requestOf(find, { name }, 'p')).toThrow(refused);
  });

  it('comes back from a body as it was sent', () => {
    const input = { name: 'x', value: { list: [1, null, { a: 'ü' }], text: '7' } };
    expect(round(change, input)).toEqual(input);
  });

  it('leaves what does not read as its kind to the schema', () => {
    const read = (query: string) =>
      inputReader(find)({
        params: { project: 'p', name: 'x' },
        query: new URLSearchParams(query),
        body: undefined,
      });
    expect(read('limit=1e9&deep=yes')).toEqual({ name: 'x', limit: '1e9', deep: 'yes' });
    expect(read('limit=0x10')).toEqual({ name: 'x', limit: '0x10' });
    expect(read('other=1')).toEqual({ name: 'x', other: '1' });
    expect(read('limit=')).toEqual({ name: 'x', limit: '' });
  });

  it('refuses what has no place in an input', () => {
    const read = (op: Operation, query: string, body: unknown) =>
      inputReader(op)({ params: { project: 'p', name: 'x' }, query: new URLSearchParams(query), body });
    const refused = expect.objectContaining({ code: 'invalid_input' });
    expect(() => read(find, 'limit=1&limit=2', undefined)).toThrow(refused);
    expect(() => read(find, 'name=y', undefined)).toThrow(refused);
    expect(() => read(find, '', {})).toThrow(refused);
    expect(() => read(change, 'value=1', {})).toThrow(refused);
    expect(() => read(change, '', { name: 'y' })).toThrow(refused);
    for (const body of [null, [], 'x', 7]) expect(() => read(change, '', body)).toThrow(refused);
  });

  it('keeps a member called __proto__ one of the input, for the schema to refuse', () => {
    const body: unknown = JSON.parse('{"__proto__": {"value": 1}}');
    const input = inputReader(change)({
      params: { project: 'p', name: 'x' },
      query: new URLSearchParams(),
      body,
    });
    expect(Object.keys(input)).toContain('__proto__');
    expect(input['value']).toBeUndefined();
    expect(change.input.safeParse(input).success).toBe(false);
  });

  it('does not let a field into a query that no query can say', () => {
    const input = z.strictObject({ name: z.string(), nested: z.strictObject({}) });
    expect(() => queryFields(declared('GET', find.path, input))).toThrow('cannot stand in a query');
  });
});
