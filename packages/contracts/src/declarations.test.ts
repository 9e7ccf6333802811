import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { queryFields } from './http-binding.ts';
import { declaredOperations } from './index.ts';
import { isOfOwnAccount, isOfProject, type Operation } from './operation.ts';

const operations = declaredOperations();

const fieldsOf = ({ input }: Operation): string[] =>
  Object.keys(
    (z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as { properties?: object }).properties ??
      {},
  );

describe('declared operations', () => {
  it('have an id and a route of their own', () => {
    expect(operations.length).toBeGreaterThan(60);
    const unique = (keys: readonly string[]) => expect(new Set(keys).size).toBe(keys.length);
    unique(operations.map(({ id }) => id));
    unique(operations.map(({ id }) => id.replaceAll('.', '_')));
    // Two paths that differ in the names of placeholders alone are one route.
    unique(operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{[a-z_]+\}/g, '{}')}`));
  });

  it.each(operations.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
    const placeholders = [...operation.path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name);
    const fields = fieldsOf(operation);
    expect(fields).toEqual(expect.arrayContaining(placeholders.filter((name) => name !== 'project')));
    expect(fields).not.toContain('project');
    if (operation.method === 'GET' || operation.method === 'DELETE')
      expect(() => queryFields(operation)).not.toThrow();
    // What a cache, a crawler or a link may fetch changes nothing.
    if (operation.method === 'GET') expect(operation.effect).toBe('read');
    if (operation.effect === 'privileged')
      expect(['approve', 'provision', 'system']).toContain(operation.access);
    // AC-054: whoever may only read changes nothing but sessions of its own.
    if (operation.effect === 'mutation')
      expect(operation.access === 'read').toBe(operation.session === 'presented');
    // The installation is nobody's project; what is in it of the caller's own is theirs to change.
    const isOwn = isOfOwnAccount(operation);
    const isOpen = operation.access === 'anonymous';
    // AC-152: what a reporter calls, and nothing else, is below its own id.
    const isReporters = operation.access === 'reporter';
    expect(isReporters).toBe(operation.path.startsWith('/v1/reporters/{reporter}'));
    if (!isOfProject(operation) && !isOpen && !isReporters)
      expect(['read', isOwn ? 'write' : 'system']).toContain(operation.access);
    // Without a credential there is how to get one, and nothing of any project.
    if (isOpen) expect(operation.path).toMatch(/^\/v1\/(auth|help)\/|^\/v1\/info$/);
  });
});
