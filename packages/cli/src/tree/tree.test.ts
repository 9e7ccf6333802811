import { describe, expect, it } from 'vitest';
import { loadCommand } from '../commands/load.ts';
import { flagName } from './declaration.ts';
import { globalFlagName, globalFlags } from './global-flags.ts';
import { resolveCommand } from './resolve.ts';
import { parseArguments } from './parse.ts';
import { aliases } from './aliases.ts';
import { commands } from './tree.ts';

describe('the command tree', () => {
  it('has code behind every command', async () => {
    for (const { path } of commands) expect(await loadCommand(path), path).toBeTypeOf('function');
  });

  it('never gives a flag two meanings within one command', () => {
    const globals = (Object.keys(globalFlags) as (keyof typeof globalFlags)[]).map((key) =>
      globalFlagName(key),
    );
    for (const { path, flags } of commands) {
      const names = [...globals, 'idempotency-key', ...Object.keys(flags).map(flagName)];
      expect(new Set(names).size, path).toBe(names.length);
      const shorts = [...Object.values(globalFlags), ...Object.values(flags)].flatMap(
        (flag) => flag.short ?? [],
      );
      expect(new Set(shorts).size, path).toBe(shorts.length);
    }
  });

  it('has one rule for every --limit: none is no question', () => {
    const limited = commands.filter(({ flags }) => 'limit' in flags);
    expect(limited.length).toBeGreaterThan(10);
    for (const declaration of limited) {
      const words = Object.entries(declaration.args).flatMap(([name, { presence }]) =>
        presence === 'required' ? [name] : [],
      );
      expect(() => parseArguments(declaration, [...words, '--limit', '0']), declaration.path).toThrow(
        'it must be at least 1',
      );
      expect(parseArguments(declaration, [...words, '--limit', '1']).flags['limit']).toBe(1);
    }
  });

  it('leads every old name to a command and says so', () => {
    for (const [old, now] of Object.entries(aliases)) {
      const resolved = resolveCommand(old.split(' '));
      expect(resolved.declaration.path).toBe(now);
      expect(resolved.renamed).toEqual({ from: old, to: now });
    }
  });

  it('offers the nearest command for a typo and never runs it', () => {
    for (const [typo, meant] of [
      ['stauts', 'pal status'],
      ['cancle', 'pal cancel'],
      ['verfy', 'pal verify'],
    ] as const) {
      expect(() => resolveCommand([typo])).toThrow(
        expect.objectContaining({ name: 'UsageError', next: meant }),
      );
    }
  });

  it('finds the command behind global flags and their values', () => {
    expect(resolveCommand(['-C', 'run', '--format', 'id', 'show', 'x']).declaration.path).toBe('show');
    expect(resolveCommand(['--json', 'show']).declaration.path).toBe('show');
    expect(resolveCommand([]).declaration.path).toBe('status');
    expect(resolveCommand(['plan', 'render', 'x']).rest).toEqual(['x']);
  });
});
