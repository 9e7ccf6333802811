import { describe, expect, it } from 'vitest';
import { type Language, languageOf } from './languages.ts';
import { SymbolReader } from './symbol-reader.ts';

function language(path: string): Language {
  const found = languageOf(path);
  if (found === undefined) throw new Error(`no language for ${path}`);
  return found;
}

const script = language('a.ts');
/** All in the thread. */
const APART = { smallBytes: 0 };
const hostile = Buffer.from('(['.repeat(400_000));
const good = (name: string) => Buffer.from(`export function ${name}() {}\n`);

describe('reading symbols', () => {
  it('a text that takes too long costs its own thread, and what was asked for behind it is read', async () => {
    await using reader = new SymbolReader({ ...APART, mostMs: 1_500 });
    const started = performance.now();
    const found = await Promise.all(
      Array.from({ length: 24 }, (_, at) => reader.read(at === 3 ? hostile : good(`f${at}`), script)),
    );
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(found[3]).toBeUndefined();
    const names = found.map((each) => each?.[0]?.name);
    expect(names).toEqual(Array.from({ length: 24 }, (_, at) => (at === 3 ? undefined : `f${at}`)));
  });

  it('what breaks the runtime is not read, and the next text is', async () => {
    await using reader = new SymbolReader({ ...APART });
    const java = language('A.java');
    const [bad, zoo] = await Promise.all([
      reader.read(Buffer.from('a‹'.repeat(20_000)), java),
      reader.read(Buffer.from('class Zoo {}'), java),
    ]);
    expect(bad ?? []).toEqual([]);
    expect(zoo?.map(({ name }) => name)).toEqual(['Zoo']);
  });

  it('hostile texts together have an end too: then it reads no more', async () => {
    await using reader = new SymbolReader({ ...APART, mostMs: 4_500, allowanceMs: 300 });
    expect(await reader.read(hostile, script)).toBeUndefined();
    expect(await reader.read(good('late'), script)).toBeUndefined();
  });

  it('what is small needs no thread; what is large or deep is read in one', async () => {
    await using reader = new SymbolReader();
    const large = Buffer.concat([good('large'), Buffer.from('const x = 1;\n'.repeat(10_000))]);
    const deep = Buffer.concat([
      Buffer.from('('.repeat(300)),
      Buffer.from('1'),
      Buffer.from(')'.repeat(300)),
    ]);
    const names = async (content: Buffer) => (await reader.read(content, script))?.map(({ name }) => name);
    expect(await names(good('here'))).toEqual(['here']);
    expect((await names(large))?.[0]).toBe('large');
    expect(await names(deep)).toEqual([]);
  });

  it('one that is given up while it reads leaves nothing that runs', async () => {
    const reader = new SymbolReader({ ...APART });
    const reading = reader.read(hostile, script);
    await reader[Symbol.asyncDispose]();
    expect(await reading).toBeUndefined();
  });
});
