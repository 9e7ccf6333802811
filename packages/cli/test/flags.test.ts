import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { flagName } from '../src/tree/declaration.ts';
import { globalFlagName, globalFlags } from '../src/tree/global-flags.ts';
import { commands } from '../src/tree/tree.ts';
import { cases, furnished, RUN, scenario, settled } from './cases.ts';
import { elsewhere } from './elsewhere.ts';

/** `--wait` needs a run that waits for people, see `waiting.test.ts`; `--timeout` one that does not end: `contract.test.ts` shows its exit code 8, which nothing else gives. */
const endless = new Set(['timeout', 'wait']);

async function observe(args: readonly string[], input = ''): Promise<string> {
  using place = furnished(scenario({ open: true }));
  const { stdout, stderr, code } = await place.pal(args, { input });
  const calls = place.calls();
  const files = readdirSync(place.directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('.git/') && !name.includes('calls.ndjson'))
    .toSorted();
  const text = settled([code, stdout, stderr, calls, ...files].join('\n'), place);
  return text.replaceAll(/\d+:\d\d:\d\d/g, 'TIME');
}

describe('FF-075: every declared flag changes something that can be observed', () => {
  for (const { path, flags } of commands) {
    const declared = Object.keys(flags)
      .map(flagName)
      .filter((name) => !endless.has(name));
    if (elsewhere.has(path) || declared.length === 0) continue;
    it(`pal ${path}`, async () => {
      const { args = [], flags: shown = {}, input } = cases[path] ?? {};
      expect(Object.keys(shown).toSorted(), 'each declared flag has a case').toEqual(declared.toSorted());
      const before = await observe(args, input);
      for (const [name, added] of Object.entries(shown)) {
        const isAlone = path === 'agent register' && ['file', 'harness', 'model-endpoint'].includes(name);
        const isChoice = path === 'answer' && name === 'option';
        const base = isAlone ? ['agent', 'register', 'x'] : isChoice ? args.slice(0, 2) : args;
        const isPartial = name === 'watch' || name === 'force' || `${path} ${name}` === 'deploy yes';
        const reference = isPartial ? await observe([...base, ...added], input) : before;
        const after = await observe(
          [...base, ...(isPartial ? added : []), `--${name}`, ...(isPartial ? [] : added)],
          input,
        );
        expect(after, `--${name}`).not.toBe(reference);
      }
    }, 240_000);
  }

  it('the flags of every command', async () => {
    const added: Readonly<Record<keyof typeof globalFlags, readonly string[]>> = {
      json: ['--json'],
      format: ['--format', 'id'],
      quiet: ['-q'],
      verbose: ['-v'],
      progress: ['--progress', 'none'],
      color: ['--color', 'always'],
      ascii: [],
      utc: [],
      input: [],
      directory: ['-C', 'sub'],
      actor: ['--actor', 'human:bob'],
      project: ['--project', 'web-shop'],
      session: [],
      stateDir: [],
      help: ['--help'],
    };
    const bases: Partial<Record<keyof typeof globalFlags, readonly string[]>> = {
      verbose: ['status'],
      progress: ['watch', RUN],
      quiet: ['watch', RUN],
      directory: ['plan', 'validate', 'plan.json'],
    };
    for (const key of Object.keys(globalFlags) as (keyof typeof globalFlags)[]) {
      const words = added[key];
      // Glyphs, zones and questions exist on terminals only, sessions with a server only: other tests show those.
      if (words.length === 0) continue;
      const base = bases[key] ?? ['status'];
      expect(await observe([...base, ...words]), globalFlagName(key)).not.toBe(await observe(base));
    }
  }, 240_000);
});
