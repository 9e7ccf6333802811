import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { filesBelow, formsIn, formsOf, textOfPostgres } from '../support/canary-forms.ts';
import {
  attemptsOf,
  git,
  makeRepository,
  palisade,
  removeInstallation,
  until,
} from '../support/installation.ts';
import { eachInstallationDatabase, type MakeDatabase, onSqlite } from '../support/installation-database.ts';
import { processTable } from '../support/processes.ts';

let root = '';
afterEach(() => removeInstallation(root));

eachInstallationDatabase('secret canary', (makeDatabase) => {
  proveNoLeak('bubblewrap', makeDatabase);
});
describe('secret canary without a boundary (sqlite)', () => {
  proveNoLeak('process', onSqlite);
});

function proveNoLeak(sandbox: string, makeDatabase: MakeDatabase): void {
  it(`DI-104 DI-111 EX-202: a secret its agent spreads everywhere is nowhere to be found afterwards (${sandbox})`, {
    timeout: 90_000,
  }, async () => {
    root = makeRepository({ 'a.txt': 'zero\n' });
    mkdirSync(join(root, 'own'));
    const { env } = await makeDatabase();
    const canary = `cnry-${randomBytes(24).toString('base64url')}`;
    const forms = formsOf(canary);
    const seen: string[] = [];
    const cli = async (...args: string[]) => {
      const result = await palisade(root, args, env);
      seen.push(result.stdout, result.stderr);
      return result;
    };
    expect(await cli('init')).toMatchObject({ code: 0 });
    writeFileSync(join(root, '.palisade/canary'), `${canary}\n`, { mode: 0o600 });
    const stored = await cli('secret', 'put', 'api-key', '--file', '.palisade/canary', '--json');
    expect(stored.code, stored.stderr).toBe(0);
    writeFileSync(join(root, '.palisade/canary'), '');
    const { ref } = JSON.parse(stored.stdout) as { ref: string };
    const registered = await cli('env', 'register', 'keys', '--secret', `API_KEY=${ref}`);
    expect(registered.code, registered.stderr).toBe(0);

    const spread = `
        test \${#API_KEY} -eq ${canary.length} || exit 9
        echo "raw $API_KEY"; echo "raw $API_KEY" >&2
        printf %s "$API_KEY" | base64 -w0; echo; printf 'x%s' "$API_KEY" | base64 -w0; echo
        printf 'xx%s' "$API_KEY" | base64 -w0; echo
        printf %s "$API_KEY" | od -An -tx1 | tr -d ' \\n'; echo
        printf %s "$API_KEY" | od -An -tx1 | tr -d ' \\n' | tr a-f A-F; echo
        printf %s "$API_KEY" | cut -c1-10 | tr -d '\\n'; sleep 0.3; printf %s "$API_KEY" | cut -c11-
        echo "I used $API_KEY" > "$PALISADE_SUMMARY_FILE"
        echo '{"input_tokens": 1, "model": "'"$API_KEY"'"}' > "$PALISADE_USAGE_FILE"
        echo end-of-spread`;
    const items = [
      { id: 'print', command: spread },
      { id: 'fail', command: `${spread}; exit 7`, retry: { max_attempts: 1 } },
      { id: 'patch', command: 'echo "key = $API_KEY" > config.ini', retry: { max_attempts: 1 } },
      {
        id: 'hexpatch',
        command: 'printf %s "$API_KEY" | base64 -w0 > config.b64',
        retry: { max_attempts: 1 },
      },
      { id: 'name', command: 'touch "file-$API_KEY"', retry: { max_attempts: 1 } },
      {
        id: 'output',
        command: 'mkdir -p outputs; echo "$API_KEY" > outputs/report.txt',
        retry: { max_attempts: 1 },
      },
      { id: 'gate', command: 'true', verify: { command: 'echo "checked $API_KEY"; false' } },
      { id: 'slow', command: 'sleep 2' },
    ].map((item) => ({ ...item, inputs: { env: 'keys' } }));
    writeFileSync(join(root, '.palisade/plan.json'), JSON.stringify({ items }));
    const run = cli('run', '.palisade/plan.json', '--run-id', 'canary', '--sandbox', sandbox);

    // While agents run, no other process has it in its arguments or environment.
    let looks = 0;
    let agents = 0;
    const end = run.then(() => true);
    while (!(await Promise.race([end, new Promise<false>((r) => setTimeout(() => r(false), 200))]))) {
      looks++;
      for (const entry of processTable()) {
        expect(formsIn(entry.command, forms), entry.command).toEqual([]);
        const isAgent = entry.environment.includes('\nPALISADE_ATTEMPT_ID=');
        if (isAgent) agents++;
        else expect(formsIn(entry.environment, forms), entry.command).toEqual([]);
      }
    }
    expect(looks).toBeGreaterThan(5);
    expect(agents).toBeGreaterThan(0);
    expect((await run).code).toBe(1);

    const shown = await cli('show', 'canary', '--json');
    const states = Object.fromEntries(
      (JSON.parse(shown.stdout) as { items: { id: string; state: string; reason?: string }[] }).items.map(
        (item) => [item.id, [item.state, item.reason ?? '']],
      ),
    ) as Record<string, [string, string]>;
    expect(Object.entries(states).map(([id, [state]]) => [id, state])).toEqual([
      ['print', 'done'],
      ['fail', 'failed'],
      ['patch', 'failed'],
      ['hexpatch', 'failed'],
      ['name', 'failed'],
      ['output', 'failed'],
      ['gate', 'done'],
      ['slow', 'done'],
    ]);
    for (const id of ['patch', 'hexpatch', 'name', 'output'])
      expect(states[id]?.[1], id).toMatch(/secret|credential/);
    expect(states['fail']?.[1]).toMatch(/status 7/);

    const logs = await cli('logs', 'canary/print');
    expect(logs.stdout).toContain('raw <redacted:secret>');
    expect(logs.stdout).toContain('end-of-spread');
    await cli('logs', 'canary', '--json');
    await cli('events', 'canary', '--json');
    for (const id of ['fail', 'patch']) await cli('explain', `canary/${id}`);
    await cli('show', 'canary');
    await cli('status', '--json');
    await cli('diff', 'canary', '--raw');
    expect((await cli('evidence', 'export', 'canary', '-o', '.palisade/bundle.json')).code).toBe(0);
    expect((await cli('verify', 'canary', '--json')).code).toBe(0);
    await cli('env', 'show', 'keys', '--json');
    await cli('secret', 'list', '--json');

    for (const text of seen) expect(formsIn(text, forms), text.slice(0, 2_000)).toEqual([]);
    await until('the attempts to be removed', async () => attemptsOf(root).length === 0);
    const leaks: string[] = [];
    let count = 0;
    for (const file of filesBelow(root)) {
      count++;
      const found = formsIn(readFileSync(file), forms);
      if (found.length > 0) leaks.push(`${file}: ${found.join(', ')}`);
    }
    expect(leaks).toEqual([]);
    expect(count).toBeGreaterThan(20);
    const objects = git(root, 'cat-file', '--batch-all-objects', '--batch', '--unordered');
    expect(formsIn(objects, forms)).toEqual([]);
    const url = env['PALISADE_DATABASE_URL'];
    if (url !== undefined) expect(formsIn(await textOfPostgres(url), forms)).toEqual([]);
  });
}
