import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { EditPlan, RiskRanking, type Scope } from '@palisade/contracts';
import { expect, it, onTestFinished } from 'vitest';
import { TestRepository } from '../../memory/test/history.ts';
import { type HttpRig, httpRig } from '../test/http-rig.ts';

const WORKS: readonly Scope[] = ['read', 'write'];
const PATH = '/v1/projects/default/repository';

/** A server of a directory that is a repository, with what it answers to an agent. */
async function served() {
  const rig: HttpRig = await httpRig();
  const repository = repositoryAt(rig.root);
  const token = rig.token(WORKS);
  const ask = (question: string, fields: Record<string, string> = {}) =>
    rig.send('GET', `${PATH}/${question}?${new URLSearchParams(fields).toString()}`, { token });
  return { rig, repository, ask };
}

function repositoryAt(directory: string): TestRepository {
  const repository = new TestRepository(directory);
  repository.git('init', '--quiet', '--initial-branch=main', '.');
  const files = { 'src/cart.ts': "import './tax.ts';\n", 'src/tax.ts': 'export const tax = 1;\n' };
  return repository.commit({ files }, { files: { 'src/cart.ts': "import './tax.ts';\n// two\n" } });
}

it('WM-032: a server answers before an edit, of the repository that it serves or one below it', async () => {
  const { rig, ask } = await served();
  const { status, body } = await ask('plan', { file: 'src/cart.ts', goal: 'a discount' });
  expect(status).toBe(200);
  const plan = EditPlan.parse(body);
  expect(plan).toMatchObject({ path: 'src/cart.ts', goal: 'a discount', freshness: { is_stale: false } });
  expect(plan.files_to_inspect).toContain('src/tax.ts');
  expect(plan.related_sessions).toBeUndefined();
  const below = join(rig.root, 'other');
  await mkdir(below);
  repositoryAt(below).commit({ files: { 'own.ts': '1\n' } });
  const other = await ask('risk', { repository: below, limit: '200' });
  expect(RiskRanking.parse(other.body).files.map(({ path }) => path)).toContain('own.ts');
  for (const [question, fields] of [
    ['explain', { file: 'src/cart.ts' }],
    ['safe', { file: 'src/cart.ts' }],
    ['neighbors', { file: 'src/cart.ts' }],
    ['changed', {}],
    ['review', {}],
    ['review', { base: 'HEAD~1' }],
    ['handoff', {}],
    ['decisions', { query: 'Change' }],
    ['preflight', { task: 'x', scope: 'src' }],
    ['map', { tokens: '100', around: 'src/tax.ts' }],
  ] as const)
    expect((await ask(question, fields)).status, question).toBe(200);
});

it('DI-264, EX-020: only who may have work done there asks, and only about what is offered', async () => {
  const { rig, ask } = await served();
  const reader = rig.token(['read']);
  const refused = await rig.send('GET', `${PATH}/risk`, { token: reader });
  expect([refused.status, refused.body.code]).toEqual([403, 'operation_not_permitted']);
  using elsewhere = new TestRepository().commit({ files: { 'secret.ts': '1\n' } });
  const link = join(rig.root, 'link');
  await symlink(elsewhere.directory, link);
  // A work tree that is offered, of a repository that is not.
  const borrowed = join(rig.root, 'borrowed');
  elsewhere.git('worktree', 'add', '--quiet', '-b', 'more', borrowed);
  const inside = join(rig.root, '.palisade', 'work');
  await mkdir(inside, { recursive: true });
  await cp(join(rig.root, '.git'), join(inside, '.git'), { recursive: true });
  for (const repository of [elsewhere.directory, link, borrowed, inside, '/', join(rig.root, 'nothing')]) {
    const { status, body } = await ask('risk', { repository });
    expect([status, body.code], repository).toEqual([403, 'policy_denied']);
    expect(JSON.stringify(body)).not.toContain('secret.ts');
  }
});

it('DI-042: what is asked names files of the repository and commits, and nothing else', async () => {
  const { ask } = await served();
  for (const file of ['../out.ts', '/etc/passwd', '.'])
    expect((await ask('explain', { file })).body.code, file).toBe('unsafe_path');
  expect((await ask('explain', { file: 'a\0b' })).body.code).toBe('invalid_input');
  for (const base of ['--output=/tmp/out', '-p', '$(id)', 'HEAD:src', ''])
    expect((await ask('review', { base })).status, base).toBeGreaterThanOrEqual(400);
  expect((await ask('map', { tokens: '1' })).body.code).toBe('invalid_input');
  expect((await ask('explain', { file: 'nothing.ts' })).body.code).toBe('not_found');
});

it('a server that ends while it reads a repository leaves nobody waiting', async () => {
  const { rig, ask } = await served();
  const asked = ask('plan', { file: 'src/cart.ts' }).catch(() => 'gone');
  const closing = rig.composition.close();
  onTestFinished(() => closing);
  const answer = await asked;
  expect(answer === 'gone' || [200, 500, 503].includes((answer as { status: number }).status)).toBe(true);
});
