import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as contracts from '@palisade/contracts';
import type { Operation } from '@palisade/contracts';
import * as z from 'zod';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/** Every operation that is declared. */
const operations = Object.values(contracts as Record<string, unknown>).filter(
  (value): value is Operation =>
    typeof value === 'object' && value !== null && 'effect' in value && 'errors' in value && 'id' in value,
);

const sourcesOf = (room: string) =>
  execFileSync('git', ['ls-files', '-z', `packages/${room}/src/*.ts`], { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '' && !path.endsWith('.test.ts'));

/** Names of everything a value of the schema may say, at any depth. */
function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, member]) =>
    key === 'properties' ? [...Object.keys(member as object), ...namesIn(member)] : namesIn(member),
  );
}

/**
 * Fields that name a project and choose none: what a call sees and changes is the same whatever they say. `only_project` narrows a
 * credential that is issued or a person's rights, and takes `system` to say; a subagent is who it is within a project (AC-060), and its
 * session sees what its credential sees.
 */
const isNarrowing = (id: string, name: string): boolean =>
  name === 'only_project' || (id === 'harness_sessions.register' && name === 'project');

test('DI-006: no operation takes a namespace: whoever opens a control plane sees that one and no other', () => {
  expect(operations.length).toBeGreaterThan(60);
  for (const { id, input } of operations) {
    const names = namesIn(z.toJSONSchema(input, { unrepresentable: 'any', io: 'input' }));
    expect(
      names.filter((name) => /namespace|tenant|project/i.test(name) && !isNarrowing(id, name)),
      id,
    ).toEqual([]);
  }
});

test('DI-215: the command line and the library reach rooms by operations alone', () => {
  // However it is imported: statically, when it is needed, for its types, or a part of it.
  const rooms =
    /\b(?:from|import|require)\s*\(?\s*['"`]@palisade\/(?:kernel|runs|dispatch|automation|worker)(?:\/[^'"`]*)?['"`]/;
  for (const way of [
    "from '@palisade/kernel'",
    "await import('@palisade/dispatch')",
    'import(\n  "@palisade/runs/x"\n)',
    "import '@palisade/worker'",
  ])
    expect(rooms.test(way), way).toBe(true);
  expect(rooms.test("from '@palisade/server'")).toBe(false);
  for (const surface of ['cli', 'embed']) {
    const sources = sourcesOf(surface);
    expect(sources.length).toBeGreaterThan(10);
    const around = sources.filter((path) => rooms.test(readFileSync(join(ROOT, path), 'utf8')));
    expect(around, surface).toEqual([]);
  }
});
