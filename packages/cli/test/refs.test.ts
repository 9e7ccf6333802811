import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Recording } from './double/record.ts';
import { Place } from './place.ts';

/** Runs of two branches of this repository, and one of another, newest first. */
function repository(): Place {
  const place = new Place({ runs: [] });
  const run = (id: string, branch: string, directory = place.directory) => {
    const workspace = { kind: 'git' as const, repository: directory, commit: 'c0ffee', branch };
    const recording = new Recording(id, id)
      .with({ workspace })
      .item('a')
      .started('a')
      .log('a', `said by ${id}`);
    return recording.reconciled('a', 'done').completed('completed').build();
  };
  place.tell({
    runs: [
      run('run_bb2', 'main', '/elsewhere'),
      run('run_ab1', 'feature/x'),
      run('run_aa1', 'main'),
      run('run_aa0', 'main'),
    ],
  });
  const git = (...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      cwd: place.directory,
      env: place.env(),
    });
  };
  git('init', '--quiet', '-b', 'main');
  git('commit', '--quiet', '--allow-empty', '-m', 'start');
  return place;
}

describe('how a run is named', () => {
  it('by - the newest, by a unique prefix with or without run_, by @ the newest of this branch', async () => {
    using place = repository();
    const said = async (ref: string): Promise<string> => (await place.pal(['logs', ref])).stdout;
    expect(await said('-/a')).toBe('said by run_bb2\n');
    expect(await said('run_ab/a')).toBe('said by run_ab1\n');
    expect(await said('bb/a')).toBe('said by run_bb2\n');
    expect((await place.pal(['show', 'a'])).code).toBe(2);
    expect((await place.pal(['show', 'a'])).stderr).toContain('code ambiguous_id');
    expect(await said('@/a')).toBe('said by run_aa1\n');
    expect((await place.pal(['show', '@', '--format', 'id'])).stdout).toBe('run_aa1/a\n');
    expect((await place.pal(['cancel', '@', '--json'])).stdout).toContain('"run_id":"run_aa1"');
    execFileSync('git', ['checkout', '--quiet', '-b', 'feature/x'], {
      cwd: place.directory,
      env: place.env(),
    });
    expect(await said('@/a')).toBe('said by run_ab1\n');
  });

  it.each([
    ['of the same name', basename],
    ['of another name, as a clone may have', () => 'origin-of-it'],
  ])(
    '@ is a run that tells only the name of its repository, %s, where this one has its commit',
    async (_, named) => {
      using place = repository();
      const at = { cwd: place.directory, env: place.env(), encoding: 'utf8' } as const;
      const head = execFileSync('git', ['rev-parse', 'HEAD'], at).trim();
      const run = (id: string, commit: string) =>
        new Recording(id, id)
          .with({
            workspace: {
              kind: 'git',
              repository: named(realpathSync(place.directory)),
              commit,
              branch: 'main',
            },
          })
          .item('a')
          .build();
      place.tell({ runs: [run('run_cc2', 'c0ffee'.repeat(6) + 'c0ff'), run('run_cc1', head)] });
      expect((await place.pal(['cancel', '@', '--json'])).stdout).toContain('"run_id":"run_cc1"');
    },
  );

  it('@ is an error where there is no such run, no branch, and no repository', async () => {
    using place = repository();
    execFileSync('git', ['checkout', '--quiet', '-b', 'new'], { cwd: place.directory, env: place.env() });
    const none = await place.pal(['show', '@']);
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('no run started on branch new');
    execFileSync('git', ['checkout', '--quiet', '--detach'], { cwd: place.directory, env: place.env() });
    expect((await place.pal(['show', '@'])).stderr).toContain('no branch is checked out');
    using outside = new Place({ runs: [] });
    expect((await outside.pal(['show', '@'])).stderr).toContain('this is no git repository');
  });
});
