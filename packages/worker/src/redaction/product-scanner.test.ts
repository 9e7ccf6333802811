import { appendFileSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { piecesOf, ProductScanner } from './product-scanner.ts';

function file(bytes: Uint8Array): string {
  const path = join(mkdtempSync(join(tmpdir(), 'palisade-scanner-')), 'file');
  onTestFinished(() => rmSync(dirname(path), { recursive: true }));
  writeFileSync(path, bytes);
  return path;
}

test('a file that grows while it is looked through is looked through to where it ended', async () => {
  const path = file(Buffer.alloc(3_000_000));
  let seen = 0;
  for await (const piece of piecesOf(openSync(path, 'r'))) {
    seen += piece.length;
    appendFileSync(path, piece);
  }
  expect(seen).toBe(3_000_000);
});

test('DI-048: a secret that ends with the file is found, an empty file holds none', async () => {
  const scanner = new ProductScanner({ TOKEN: 'canary-secret-value' });
  const path = file(Buffer.concat([Buffer.alloc(2_000_000), Buffer.from('canary-secret-value')]));
  expect(await scanner.findInOpenFile(openSync(path, 'r'))).toEqual({ secret: 'TOKEN', offset: 2_000_000 });
  expect(await scanner.findInOpenFile(openSync(file(Buffer.alloc(0)), 'r'))).toBe(null);
});

test('DI-104 DI-048: what a log hides, a product is withheld for: values of six characters on', () => {
  const scanner = new ProductScanner({ SHORT: 'hunter', PIN: '12345' });
  expect(scanner.find(Buffer.from('pw=hunter\n'))).toEqual({ secret: 'SHORT', offset: 3 });
  expect(scanner.find(Buffer.from('pin=12345\n'))).toBe(null);
});
