import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCatalogue } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { HARDEN, hardenScenario } from './double/harden.ts';
import { Place } from './place.ts';
import { CREDENTIAL, PRINCIPAL } from './sample-credentials.ts';

const failing = (operation: string, code: string) => ({
  ...hardenScenario(),
  failures: { [operation]: { code: code as keyof typeof errorCatalogue, message: 'it broke' } },
});

describe('DI-261: whoever reads an error is told what to do next', () => {
  it.each([
    [['run', 'plan.jsn'], 'did you mean plan.json?'],
    [['run', 'nowhere/plan.json'], 'give the path of a file that is there'],
    [['run', '.'], 'pal help run'],
    [['plan', 'validate', 'none'], 'give the path of a file that is there'],
    [['plan', 'validate', 'broken.json'], 'correct broken.json'],
    [['plan', 'render', 'twice.json'], 'correct twice.json'],
    [['pipeline', 'register', 'p', 'none.json'], 'give the path of a file that is there'],
    [['pipeline', 'register', 'p', 'broken.json'], 'correct broken.json'],
    [['pipeline', 'show', 'none'], 'pal pipeline list'],
    [['agent', 'register', 'a', '--file', 'none.json'], 'give the path of a file that is there'],
    [['agent', 'register', 'a'], 'pal help agent register'],
    [['metrics', '--out', 'missing/out.prom'], 'mkdir -p'],
    [['verify', 'none.json'], 'pal verify RUN'],
    [['verify', 'broken.json'], 'ask whoever gave it to you'],
    [['show', 'none'], 'pal status'],
    [['explain', HARDEN], `pal show ${HARDEN}`],
    [['explain', `${HARDEN}/lnt`], `pal explain ${HARDEN}/lint`],
    [['capability', 'register', 'c', 'none'], 'pal help capability register'],
    [['deploy', '--from', 'none.yaml'], 'give the path of a file that is there'],
    [['run', 'plan.json', '--watch', '--detach'], 'pal help run'],
    [['run', 'plan.json', '--priority', 'high'], 'pal help run'],
    [['run', 'plan.json', '-C', 'nowhere'], 'pal help run'],
    [['status', '--nothing'], 'pal help status'],
    [['config', 'set', 'color', 'pink'], 'pal config explain color'],
    [['config', 'set', 'policy', 'policy.json'], 'give the absolute path'],
    [['nothing'], 'pal help'],
    [['credential', 'rotate', 'helper', 'fresh'], 'pal credential list'],
    [['credential', 'issue', 'helper', 'fresh'], 'pal principal list'],
  ])('%j', async (words, next) => {
    const empty = { row: null, revisions: [], blocks: null };
    using place = new Place({
      ...failing('evidence.export', 'not_found'),
      answers: { 'pipelines.get': empty, 'metrics.get': { data: [] } },
    });
    writeFileSync(join(place.directory, 'plan.json'), '{"items":[{"id":"a","command":"true"}]}');
    writeFileSync(join(place.directory, 'broken.json'), '{"items":[');
    writeFileSync(join(place.directory, 'twice.json'), '{"items":[],"items":[]}');
    mkdirSync(join(place.directory, 'empty'));
    const { code, stderr } = await place.pal(words);
    expect(code, stderr).not.toBe(0);
    expect(stderr).toMatch(/^ {2}next {2}\S/m);
    expect(stderr).toContain(next);
  });

  it.each(Object.keys(errorCatalogue))(
    '%s, when who raised it knew nothing better',
    async (code) => {
      using place = new Place(failing('runs.get', code));
      const { stderr } = await place.pal(['show', HARDEN]);
      expect(stderr).toMatch(/^ {2}next {2}\S/m);
      const document = JSON.parse((await place.pal(['show', HARDEN, '--json'])).stdout) as {
        error: { next?: string };
      };
      expect(document.error.next, code).toBeTypeOf('string');
    },
    60_000,
  );
});

it('AC-050: the only project that a credential may see stands wherever the credential is shown', async () => {
  const held = { ...CREDENTIAL, only_project: 'shop' };
  const issued = { principal: PRINCIPAL, credential: held, token: 'pal_x' };
  using place = new Place({
    runs: [],
    answers: {
      'credentials.list': { data: [held, CREDENTIAL], has_more: false },
      'principals.create': issued,
      'credentials.rotate': { ...issued, replaced_credential_id: held.id, replaced_credential_revoked: true },
    },
  });
  const listed = await place.pal(['credential', 'list']);
  expect(listed.stdout.match(/ {2}only project shop {2}/g)).toHaveLength(1);
  for (const words of [
    ['principal', 'create', 'ci'],
    ['credential', 'rotate', held.id, 'next'],
  ])
    expect((await place.pal(words)).stdout, words.join()).toContain('only project shop\n');
});

it('outside of git the memory says how to come by a repository, and nothing of workspaces', async () => {
  using place = new Place({ runs: [] });
  const { stderr } = await place.pal(['repo', 'index']);
  expect(stderr).toContain('next  name a git repository, or make one here: git init, and a commit\n');
});
