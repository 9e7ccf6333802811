import { describe, expect, it } from 'vitest';
import { type Language, languageOf } from './languages.ts';
import { StructureReader } from './structure-reader.ts';

function language(path: string): Language {
  const found = languageOf(path);
  if (found === undefined) throw new Error(`no language for ${path}`);
  return found;
}

const script = language('a.ts');
const MANY = { texts: 1_000, threads: 2 };
const hostile = Buffer.from('(['.repeat(400_000));
const good = (name: string) => Buffer.from(`export function ${name}() {}\n`);

describe('reading structures', () => {
  it('a text that takes too long costs its own thread, and what was asked for behind it is read', async () => {
    await using reader = new StructureReader({ ...MANY, mostMs: 1_500 });
    const started = performance.now();
    const found = await Promise.all(
      Array.from({ length: 24 }, (_, at) => reader.read(at === 3 ? hostile : good(`f${at}`), script)),
    );
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(found[3]).toBeUndefined();
    const names = found.map((each) => (JSON.parse(each?.symbols ?? '[]') as { name: string }[])[0]?.name);
    expect(names).toEqual(Array.from({ length: 24 }, (_, at) => (at === 3 ? undefined : `f${at}`)));
  });

  it('what breaks the runtime is not read, and the next text is', async () => {
    await using reader = new StructureReader({ ...MANY, threads: 1 });
    const java = language('A.java');
    const [bad, zoo] = await Promise.all([
      reader.read(Buffer.from('a‹'.repeat(20_000)), java),
      reader.read(Buffer.from('class Zoo {}'), java),
    ]);
    expect(bad?.symbols ?? '[]').toBe('[]');
    expect(zoo?.symbols).toContain('Zoo');
  });

  it('hostile texts together have an end too: then it reads no more', async () => {
    await using reader = new StructureReader({ ...MANY, mostMs: 4_500, allowanceMs: 300 });
    expect(reader.isWilling).toBe(true);
    await reader.read(hostile, script);
    expect(reader.isWilling).toBe(false);
  });

  it('a few small texts need no thread; what is large or deep is never read here', async () => {
    await using reader = new StructureReader({ texts: 3, threads: 0 });
    expect((await reader.read(good('here'), script))?.symbols).toContain('here');
    expect(await reader.read(Buffer.from('('.repeat(300)), script)).toBeUndefined();
    expect(await reader.read(Buffer.from('const x = 1;\n'.repeat(10_000)), script)).toBeUndefined();
  });

  it('one that is given up while it reads leaves nothing that runs', async () => {
    const reader = new StructureReader({ ...MANY, threads: 1 });
    const reading = reader.read(hostile, script);
    await reader[Symbol.asyncDispose]();
    expect(await reading).toBeUndefined();
  });
});
