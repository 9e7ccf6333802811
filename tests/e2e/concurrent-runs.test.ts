import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { git, makeRepository, palisade, removeInstallation, until } from '../support/installation.ts';
import { eachInstallationDatabase } from '../support/installation-database.ts';
import { planFile } from '../support/plan-file.ts';
import { enginesOf, workersOf } from '../support/processes.ts';

let root = '';
afterEach(() => removeInstallation(root));

interface Listing {
  readonly data: readonly { readonly id: string; readonly state: string; readonly sealed: boolean }[];
}

eachInstallationDatabase('many commands at once', (makeDatabase) => {
  it('FF-086 FF-030 FF-083: eight runs started at once in a new project all end, each with its own exit code', {
    timeout: 120_000,
  }, async () => {
    root = makeRepository({ 'a.txt': 'zero\n' });
    const { env } = await makeDatabase();
    const edit = (n: number) =>
      planFile(
        root,
        { items: ['x', 'y'].map((id) => ({ id, command: `echo ${n} >> a.txt` })) },
        `p${n}.json`,
      );
    const plans = [1, 2, 3, 4, 5, 6].map(edit);
    const failing = planFile(
      root,
      { items: [{ id: 'x', command: 'exit 3', retry: { max_attempts: 1 } }] },
      'p7.json',
    );
    const refused = planFile(
      root,
      { items: [{ id: 'x', command: 'true', depends_on: ['nosuch'] }] },
      'p8.json',
    );
    const all = [...plans, failing, refused];
    // Nothing is set up yet: the first use of a project is a race of its own.
    const results = await Promise.all(
      all.map((plan, i) =>
        palisade(root, ['run', plan, '--run-id', `r${i + 1}`, '--sandbox', 'process'], env),
      ),
    );
    expect(
      results.map((result) => result.code),
      results.map((result) => result.stderr).join('\n---\n'),
    ).toEqual([0, 0, 0, 0, 0, 0, 1, 2]);
    for (const [i, result] of results.entries()) if (i < 7) expect(result.stdout).toContain(`r${i + 1}`);
    expect(results[7]?.stderr).toContain('nosuch');
    const { data } = JSON.parse((await palisade(root, ['status', '--json'], env)).stdout) as Listing;
    expect(Object.fromEntries(data.map((run) => [run.id, run.state]))).toEqual({
      ...Object.fromEntries(plans.map((_, i) => [`r${i + 1}`, 'completed'])),
      r7: 'failed',
    });
    expect(data.every((run) => run.sealed)).toBe(true);
    // The checkout itself was nobody's workspace.
    expect(git(root, 'status', '--porcelain')).toBe('');
    await until(
      'the engines to leave',
      async () => enginesOf(root).length + workersOf(root).length === 0,
      20_000,
    );
  });

  it('FF-083: sixteen commands that write at once all succeed and every row is there', {
    timeout: 120_000,
  }, async () => {
    root = makeRepository({ 'a.txt': 'zero\n' });
    const { env } = await makeDatabase();
    expect((await palisade(root, ['init'], env)).code).toBe(0);
    const names = Array.from({ length: 16 }, (_, i) => `s${String(i).padStart(2, '0')}`);
    for (const name of names) writeFileSync(join(root, '.palisade', name), `value of ${name}\n`);
    const results = await Promise.all(
      names.map((name) => palisade(root, ['secret', 'put', name, '--file', `.palisade/${name}`], env)),
    );
    expect(results.map((result) => [result.code, result.stderr.includes('failed')])).toEqual(
      names.map(() => [0, false]),
    );
    const listed = JSON.parse((await palisade(root, ['secret', 'list', '--json'], env)).stdout) as {
      readonly data: readonly { readonly name: string; readonly version: number }[];
    };
    expect(listed.data.map((row) => row.name).sort()).toEqual(names);
  });
});
