import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { flagName } from '../src/tree/declaration.ts';
import { commands } from '../src/tree/tree.ts';
import { furnished, RUN } from './cases.ts';
import { elsewhere } from './elsewhere.ts';

const SOURCE = join(import.meta.dirname, '../src');
const WINDOW = { columns: 80, rows: 24 };
const asking = commands
  .filter(({ path }) => !elsewhere.has(path))
  .flatMap(({ path, asks = {}, flags }) =>
    Object.entries(asks).map(([name, question]) => ({ path, name, question, flags })),
  );

/** A command line that comes to the question; what is typed; and what then is in the answer. */
const asked: Readonly<Record<string, { args: readonly string[]; keys: string; shows: string }>> = {
  'deploy prune': {
    args: ['deploy', '--from', 'shop/palisade.yaml', '--prune'],
    keys: '2\r',
    shows: 'agent old         removed',
  },
  'answer option': { args: ['answer', `${RUN}/fix-login`], keys: '2\r', shows: '/fix-login  right' },
  'approve hash': { args: ['approve', `${RUN}/publish`], keys: '2\r', shows: 'approved by human:ann' },
  'apply executable': { args: ['apply', RUN], keys: '2\r', shows: 'applied  run_' },
  'evidence rotate-key key': {
    args: ['evidence', 'rotate-key'],
    keys: 'ed25519-1111111111111111\r',
    shows: 'retired ed25519-1111111111111111',
  },
  'secret put value': { args: ['secret', 'put', 'x'], keys: 'hush\r', shows: 'x  version 1' },
};

describe('questions', () => {
  it('are asked only through the place that knows their flags', () => {
    const users = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .filter((name) =>
        /@clack\/prompts|node:readline|plain-prompt\.ts/.test(readFileSync(join(SOURCE, name), 'utf8')),
      );
    expect(users).toEqual(['prompt.ts']);
    expect(asking.map(({ path, name }) => `${path} ${name}`).toSorted()).toEqual(
      Object.keys(asked).toSorted(),
    );
  });

  for (const { path, name, question, flags } of asking) {
    const told = asked[`${path} ${name}`] ?? { args: [], keys: '', shows: '' };

    it(`pal ${path}: "${question.words}" has a flag, named wherever nothing may be asked`, async () => {
      const [flag = '', value] = question.flag.split(' ');
      const declared = Object.entries(flags).find(([key]) => `--${flagName(key)}` === flag)?.[1];
      expect(declared, flag).toBeDefined();
      expect(declared?.kind === 'boolean').toBe(value === undefined);
      for (const [how, surroundings] of [
        ['pipe', {}],
        ['agent on a terminal', { window: WINDOW, env: { AI_AGENT: 'claude' } }],
        ['CI on a terminal', { window: WINDOW, env: { CI: '1' } }],
      ] as const) {
        using place = furnished();
        const { code, stdout, stderr } = await place.pal(told.args, surroundings);
        expect(code, how).toBe(2);
        expect(stdout + stderr, how).toMatch(new RegExp(`next  give ${flag}\\b`));
      }
      using place = furnished();
      const quiet = await place.pal([...told.args, '--no-input'], { window: WINDOW });
      expect(quiet.code).toBe(2);
      expect(quiet.stdout).toContain(`next  give ${flag}`);
    });

    it(`pal ${path}: a person answers it, read to or not, and may leave it with Ctrl-C or Ctrl-D`, async () => {
      using heard = furnished();
      const answered = await heard.pal(told.args, {
        window: WINDOW,
        keys: told.keys,
        env: { ACCESSIBLE: '1', NO_COLOR: '1' },
      });
      expect(answered.stdout).toContain(question.words);
      expect(answered.stdout).toContain(told.shows);
      expect(answered.code).toBe(0);
      expect(answered.stdout).not.toContain('\u001B');
      for (const keys of ['\u0003', '\u0004'])
        for (const env of [{ ACCESSIBLE: '0' }, { ACCESSIBLE: '1' }]) {
          using left = furnished();
          const { code, stdout } = await left.pal(told.args, { window: WINDOW, keys, env });
          expect([keys, code]).toEqual([keys, 130]);
          expect(stdout).not.toContain(told.shows);
          expect(stdout).not.toContain('unsettled');
        }
    });
  }

  it('a key that is named wrongly is not retired, and a secret is never shown', async () => {
    using place = furnished();
    const wrong = await place.pal(['evidence', 'rotate-key'], {
      window: WINDOW,
      keys: 'yes\r',
      env: { ACCESSIBLE: '1' },
    });
    expect(wrong.code).toBe(2);
    expect(wrong.stdout).toContain('nothing was changed');
    expect(place.calls()).not.toContain('"keyid"');
    for (const env of [{ ACCESSIBLE: '0' }, { ACCESSIBLE: '1' }]) {
      const put = await place.pal(['secret', 'put', 'x'], { window: WINDOW, keys: 'hush-hush\r', env });
      expect(put.code).toBe(0);
      expect(put.stdout).not.toContain('hush');
      expect(place.calls()).toContain('"value":"hush-hush"');
    }
  });
});
