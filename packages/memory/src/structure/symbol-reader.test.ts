import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type Language, languageOf } from './languages.ts';
import { SymbolReader } from './symbol-reader.ts';

function language(path: string): Language {
  const found = languageOf(path);
  if (found === undefined) throw new Error(`no language for ${path}`);
  return found;
}

const script = language('a.ts');
const hostile = Buffer.from('(['.repeat(400_000));
const good = (name: string) => Buffer.from(`export function ${name}() {}\n`);

describe('reading symbols', () => {
  it('a text that takes too long costs its own thread, and what was asked for behind it is read', async () => {
    await using reader = new SymbolReader({ mostMs: 4_000, allowanceMs: 60_000 });
    const started = performance.now();
    const found = await Promise.all(
      Array.from({ length: 24 }, (_, at) => reader.read(at === 3 ? hostile : good(`f${at}`), script)),
    );
    expect(performance.now() - started).toBeLessThan(25_000);
    expect(found[3]).toBeUndefined();
    const names = found.map((each) => each?.[0]?.name);
    expect(names).toEqual(Array.from({ length: 24 }, (_, at) => (at === 3 ? undefined : `f${at}`)));
  });

  it('what breaks the runtime is not read, and the next text is', async () => {
    await using reader = new SymbolReader();
    const java = language('A.java');
    const [bad, zoo] = await Promise.all([
      reader.read(Buffer.from('a‹'.repeat(20_000)), java),
      reader.read(Buffer.from('class Zoo {}'), java),
    ]);
    expect(bad ?? []).toEqual([]);
    expect(zoo?.map(({ name }) => name)).toEqual(['Zoo']);
  });

  it('hostile texts together have an end too: then it reads no more', async () => {
    await using reader = new SymbolReader({ mostMs: 4_500, allowanceMs: 300 });
    expect(await reader.read(hostile, script)).toBeUndefined();
    expect(await reader.read(good('late'), script)).toBeUndefined();
  });

  it('a short text that the runtime does not stop within does not hold up the process', async () => {
    await using reader = new SymbolReader({ mostMs: 3_000 });
    expect(await reader.read(good('warm'), script)).toHaveLength(1);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 10);
    expect(await reader.read(Buffer.from('!'.repeat(256 * 1024)), script)).toBeUndefined();
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(20);
  });

  it('what is kept for the next answer keeps no process running', () => {
    const program = `
      import { SymbolReader } from ${JSON.stringify(import.meta.resolve('./symbol-reader.ts'))};
      import { languageOf } from ${JSON.stringify(import.meta.resolve('./languages.ts'))};
      for (let answer = 0; answer < 2; answer++) {
        await using reader = new SymbolReader();
        const found = await reader.read(Buffer.from('function f() {}'), languageOf('a.ts'));
        console.log(found.length);
      }`;
    const started = performance.now();
    const output = execFileSync(process.execPath, ['--input-type=module-typescript', '-e', program], {
      encoding: 'utf8',
    });
    expect(output.trim().split('\n')).toEqual(['1', '1']);
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  it('one that is given up while it reads leaves nothing that runs', async () => {
    const reader = new SymbolReader();
    const reading = reader.read(hostile, script);
    await reader[Symbol.asyncDispose]();
    expect(await reading).toBeUndefined();
  });
});
