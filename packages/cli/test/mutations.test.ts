import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../src/tree/tree.ts';
import { cases, furnished, RUN, scenario } from './cases.ts';
import { HARDEN } from './double/harden.ts';
import { elsewhere } from './elsewhere.ts';
import type { Place } from './place.ts';

interface Call {
  readonly call?: string;
  readonly input?: { readonly dry_run?: boolean };
  readonly context?: { readonly idempotencyKey?: string };
  readonly ensure_engine?: string;
  readonly create?: boolean;
}

const callsOf = (place: Place): Call[] =>
  place
    .calls()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Call);

/** Every file of a place with its content, without what the test itself writes and what only helps completion. */
const contents = (place: Place): string[] =>
  readdirSync(place.directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.endsWith('calls.ndjson') && !name.startsWith('.palisade/cache'))
    .map((name) => {
      const path = join(place.directory, name);
      return statSync(path).isFile() ? `${name} ${readFileSync(path, 'latin1')}` : name;
    })
    .toSorted();

/** Others are proved where they do something. */
const mutations = commands.filter(({ effect, path }) => effect === 'mutation' && !elsewhere.has(path));
/** Only these touch nothing but files of the user's, where repeating is safe without a key. */
const local = new Set(['init', 'config set', 'config unset', 'mcp install']);
/** What changes something where the command's own case does not. */
const changes: typeof cases = { ...cases, api: { args: ['api', 'runs.cancel', `run=${RUN}`] } };
const unasked = (path: string): readonly string[] => (path === 'apply' ? ['--yes'] : []);

describe('commands that change something', () => {
  it('are the ones that are known', () => {
    expect(mutations.map(({ path }) => path).toSorted()).toEqual([
      'agent rebind',
      'agent register',
      'agent remove',
      'agent sync',
      'answer',
      'api',
      'apply',
      'approve',
      'budget',
      'cancel',
      'capability register',
      'capability remove',
      'capability sync',
      'close',
      'config set',
      'config unset',
      'credential issue',
      'credential revoke',
      'credential rotate',
      'deny',
      'deploy',
      'env register',
      'env remove',
      'evidence revoke-key',
      'evidence rotate-key',
      'extend',
      'gc',
      'init',
      'mcp install',
      'model-endpoint remove',
      'model-endpoint set',
      'pause',
      'pipeline register',
      'pipeline remove',
      'principal create',
      'project archive',
      'project create',
      'project policy-set',
      'project restore',
      'queue set',
      'recover-clock',
      'rerun',
      'resume',
      'run',
      'schedule add',
      'schedule pause',
      'schedule resume',
      'schedule rm',
      'schedule run-now',
      'secret put',
      'send',
      'session close',
      'session register',
      'webhook replay',
      'webhook rm',
      'webhook set',
      'webhook test',
    ]);
  });

  for (const { path } of mutations) {
    it(`pal ${path} --dry-run says what would happen and changes nothing`, async () => {
      const { args = [], input = '' } = changes[path] ?? {};
      using place = furnished(scenario({ open: true }));
      const before = contents(place);
      const { code, stdout, stderr } = await place.pal([...args, '--dry-run'], { input });
      expect(code, stderr).toBe(0);
      expect(stdout).toMatch(
        /would |"accepted": ?(?:true|false)|control plane was there|already stopping or ended|already paused|was not paused|is not set in/,
      );
      expect(contents(place)).toEqual(before);
      for (const { call, input: given, ensure_engine, create, context } of callsOf(place)) {
        expect(ensure_engine).toBeUndefined();
        expect(create).not.toBe(true);
        // A call with a key is one that may change something.
        if (context?.idempotencyKey !== undefined) expect(given?.dry_run, call).toBe(true);
      }
    });

    it(`pal ${path} takes an idempotency key`, async () => {
      const { args = [], input = '' } = changes[path] ?? {};
      using place = furnished(scenario({ open: true }));
      const all = [...args, ...unasked(path), '--idempotency-key', 'mine'];
      const first = await place.pal(all, { input });
      expect(first.stderr).not.toContain('unknown option');
      if (!local.has(path) && path !== 'apply') {
        const keys = callsOf(place).flatMap(({ context }) => context?.idempotencyKey?.split('|')[0] ?? []);
        expect(new Set(keys)).toEqual(new Set(['mine']));
      }
      // The same call again is answered alike, but where files here say that nothing was left to do.
      if (!['init', 'mcp install'].includes(path)) expect(await place.pal(all, { input })).toEqual(first);
    });
  }

  it('apply under another key is a conflict, and a dry run of taking it back changes nothing', async () => {
    using place = furnished();
    const apply = (...more: string[]) => place.pal(['apply', RUN, '--yes', ...more]);
    expect((await apply()).code).toBe(0);
    expect((await apply()).code).toBe(5);
    const before = contents(place);
    const dry = await place.pal(['apply', RUN, '--revert', '--dry-run', '--json']);
    expect(JSON.parse(dry.stdout)).toEqual({ run_id: HARDEN, applied: true, files: ['.husky/x', 'f'] });
    expect(contents(place)).toEqual(before);
  });

  it('a connection that is cut prints the command that finds out, with the key', async () => {
    const failures = {
      'plans.submit': { code: 'database_busy', message: 'the connection was lost' },
    } as const;
    using place = furnished(scenario({ more: { failures } }));
    const title = "it's mine";
    const { code, stderr } = await place.pal(['run', 'plan.json', '--title', title]);
    expect(code).toBe(7);
    const next = /^ {2}next {2}(.*)$/m.exec(stderr)?.[1] ?? '';
    const key = /--idempotency-key ([0-9a-f-]{36})$/.exec(next)?.[1] ?? '';
    expect(next).toBe(String.raw`pal run plan.json --title 'it'\''s mine' --idempotency-key ${key}`);
    expect(place.calls()).toContain(key);
    expect(stderr).toContain('it may have been done');
    // A read has nothing to find out.
    using reading = furnished(
      scenario({ more: { failures: { 'runs.get': { code: 'database_busy', message: 'busy' } } } }),
    );
    expect((await reading.pal(['show', RUN])).stderr).not.toContain('--idempotency-key');
  });
});
