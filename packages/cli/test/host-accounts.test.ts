import { describe, expect, it } from 'vitest';
import type { Connections } from '../src/control-plane.ts';
import { furnished } from './cases.ts';
import { doubleConnections } from './double/double.ts';
import { inProcess } from './in-process.ts';
import { PRINCIPAL } from './sample-credentials.ts';

const WINDOW = { columns: 80, rows: 24 };
const INIT = ['init-admin', '--username', 'ada'];
const RECOVER = ['recover-operator-password', '--username', 'ada', '--reason', 'lost it'];

/** Runs a command line over accounts that only record what they are told. */
async function over(args: readonly string[], how: { keys?: string; input?: string; ci?: true }) {
  using place = furnished();
  const asked: object[] = [];
  const accounts = async (input: object) => {
    asked.push(input);
    return { ...PRINCIPAL, name: 'ada', kind: 'human', role: 'admin' } as const;
  };
  const connections: Connections = {
    ...doubleConnections(place.scenarioFile, place.callsFile),
    openHostAccounts: async () => ({
      initAdmin: accounts,
      recoverPassword: accounts,
      close: async () => void asked.push({ closed: true }),
    }),
  };
  const { keys, input, ci } = how;
  const ended = await inProcess(args, connections, {
    cwd: place.directory,
    env: place.env({ ACCESSIBLE: '1', NO_COLOR: '1', ...(ci === true ? { CI: '1' } : {}) }),
    ...(input === undefined ? {} : { input }),
    ...(keys === undefined ? {} : { window: WINDOW, keys }),
  });
  return { ...ended, asked };
}

describe('accounts on the host', () => {
  for (const [args, more] of [
    [INIT, {}],
    [RECOVER, { reason: 'lost it' }],
  ] as const) {
    it(`pal ${args[0]}: the password is asked for twice and never shown, or comes from standard input`, async () => {
      const typed = await over(args, { keys: 'hush-hush-hush\rhush-hush-hush\r' });
      expect(typed.code, typed.stdout).toBe(0);
      expect(typed.asked).toEqual([{ name: 'ada', password: 'hush-hush-hush', ...more }, { closed: true }]);
      expect(typed.stdout).not.toContain('hush');
      const piped = await over([...args, '--password-stdin'], { input: 'hush-hush-hush\n' });
      expect(piped.asked).toEqual(typed.asked);
      expect(piped.stdout + piped.stderr).not.toContain('hush');
    });

    it(`pal ${args[0]}: nothing happens when the two differ, it is left, or nobody can be asked`, async () => {
      for (const how of [
        { keys: 'hush-hush-hush\rhush-hush-husk\r' },
        { keys: '\u0003' },
        { keys: 'hush-hush-hush\r\u0003' },
        { keys: 'hush-hush-hush\r', ci: true },
        { input: 'hush-hush-hush\n' },
      ] as const) {
        const { code, asked, stdout, stderr } = await over(args, how);
        expect(code).not.toBe(0);
        expect(asked).toEqual([]);
        expect(stdout + stderr).not.toContain('hush-');
      }
      const unnamed = await over(args.slice(0, 1), { input: '' });
      expect(unnamed.code).toBe(2);
      expect(unnamed.stderr).toContain('--username NAME');
    });
  }
});
