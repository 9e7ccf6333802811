import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

const packages = join(import.meta.dirname, '../..');
const sources = globSync('**/src/**/*.ts', {
  cwd: packages,
  exclude: (name) => name === 'node_modules',
}).filter((name) => !name.endsWith('.test.ts') && !name.includes('/testing/'));
const read = (name: string) => readFileSync(join(packages, name), 'utf8');

describe('structure', () => {
  test('FF-138: exactly one file of all packages orders the members of objects', () => {
    expect(sources.length).toBeGreaterThan(50);
    // Sorting what Object.keys or Object.entries gave, with any number of calls between.
    const sortsMembers =
      /Object\s*\.\s*(?:keys|entries|getOwnPropertyNames)\s*\((?:[^;]*?)\)\s*(?:\.\s*\w+\([^;]*?\)\s*)*?\.\s*(?:sort|toSorted)\s*\(/s;
    expect(sources.filter((name) => sortsMembers.test(read(name)))).toEqual([
      'contracts/src/canonical-json.ts',
    ]);
    expect(
      sources.filter((name) => /function (?:canonical|stable)\w*(?:json|stringify)/i.test(read(name))),
    ).toEqual(['contracts/src/canonical-json.ts']);
  });

  test('FF-138: signer, verifier and journal take the canonical form from contracts', () => {
    for (const name of sources.filter((source) => /\bcanonical(?:Json|Bytes|Hash)\(/.test(read(source)))) {
      if (name.startsWith('contracts/')) continue;
      expect([
        name,
        /import\s*\{[^}]*canonical(?:Json|Bytes|Hash)[^}]*\}\s*from '@palisade\/contracts'/.test(read(name)),
      ]).toEqual([name, true]);
    }
  });

  test('FF-139: the verifier is made of arithmetic: it imports node:crypto and the contracts, nothing that reaches out', () => {
    // The command reads the files it is given; what it calls reads nothing.
    const own = new Set(['evidence/src/verifier.ts']);
    const outside = new Set<string>();
    for (const name of own) {
      const text = read(name);
      for (const [, from = ''] of text.matchAll(/^(?:import|export|\}) [^']*from '([^']+)';$/gm))
        if (from.startsWith('.')) own.add(join(dirname(name), from));
        else outside.add(from);
      for (const [loaded] of text.matchAll(/\b(?:import|require)\(.*|^import '.*/gm)) outside.add(loaded);
    }
    expect(own.size).toBeGreaterThan(30);
    expect([...outside].toSorted()).toEqual(['@palisade/contracts', 'node:crypto']);
  });
});
