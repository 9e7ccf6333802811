import {
  archiveProject,
  AUDIT_STREAM,
  type Caller,
  type CallContext,
  callerOf,
  createPrincipal,
  createProject,
  DEFAULT_POLICY,
  getPolicy,
  getProject,
  hostCaller,
  listPolicies,
  listProjects,
  type Operation,
  PalisadeError,
  restoreProject,
  SCOPES,
  setPolicy,
} from '@palisade/contracts';
import { eachDatabase, type OpenDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import type * as z from 'zod';
import { identity, identityMigrations, projects } from '../index.ts';

/** Projects over a real database; `busy` are those with something under way. */
async function projectsRig(open: OpenDatabase) {
  const database = await open({ migrations: identityMigrations });
  const busy = new Set<string>();
  const held: (readonly [string, boolean])[] = [];
  const created: string[] = [];
  const room = projects({
    database,
    ports: {
      isBusy: async (_, project) => busy.has(project),
      created: async (_, project) => void created.push(project),
      held: async (_, project, isHeld) => void held.push([project, isHeld]),
      scanText: (text) => {
        if (text.includes('sk-')) throw new PalisadeError('credential_in_text', 'a credential');
      },
    },
  });
  const people = identity({ database, scanText: () => {} });
  const host = callerOf([...room.operations, ...people.operations], 'human:ada');
  return {
    database,
    room,
    busy,
    held,
    created,
    call: <Op extends Operation>(
      operation: Op,
      input: z.input<Op['input']>,
      context: Partial<CallContext> = {},
    ): Promise<z.output<Op['output']>> => host.call(operation, input, context),
    audit: async () =>
      (await database.read((tx) => tx.journal.read(AUDIT_STREAM, -1, 100))).map(({ type, data }) => ({
        type,
        ...(data as { target: string; outcome: string; policy_revision?: number }),
      })),
    /** Calls as somebody who holds a token. */
    as: async (kind: 'agent' | 'service', project: string | null = null): Promise<Partial<CallContext>> => {
      const name = `${kind}-${Math.random().toString(16).slice(2)}`;
      const scopes =
        kind === 'agent'
          ? (['read', 'write'] as const)
          : SCOPES.filter((s) => s !== 'system' || project === null);
      const made = await host.call(createPrincipal, {
        name,
        kind,
        scopes: [...scopes],
        only_project: project,
      });
      const caller: Caller | null = await people.authenticate(made.token ?? '');
      if (caller === null) throw new Error('nobody');
      return { caller, actor: caller.actor };
    },
  };
}

const shop = {
  key: 'web-shop',
  title: 'Web shop',
  repository_url: 'https://git.example/shop.git',
  target_branch: 'release/2.x',
};

eachDatabase('projects', (open) => {
  it('AC-068 AC-069: a project has a key for ever, and a title for people; the default one was always there', async () => {
    const { call, created, audit } = await projectsRig(open);
    const made = await call(createProject, shop);
    expect(made).toMatchObject({ ...shop, policy_revision: 1 });
    expect(created).toEqual(['web-shop']);
    await expect(call(createProject, { ...shop, title: 'Another' })).rejects.toMatchObject({
      code: 'already_exists',
    });
    expect(await call(getProject, {}, { project: 'web-shop' })).toEqual(made);
    expect((await call(listProjects, {})).data.map(({ key }) => key)).toEqual(['default', 'web-shop']);
    const [page, rest] = [
      await call(listProjects, { limit: 1 }),
      await call(listProjects, { cursor: 'default' }),
    ];
    expect(page).toMatchObject({ has_more: true, next_cursor: 'default' });
    expect(rest).toMatchObject({ has_more: false, data: [{ key: 'web-shop' }] });
    expect(await audit()).toMatchObject([{ type: 'project.created', target: 'web-shop', outcome: 'done' }]);
  });

  it('AC-068: a key is short and plain, and a branch one that Git takes', async () => {
    const { call } = await projectsRig(open);
    for (const key of ['', 'Web', '1web', '-web', 'web_shop', 'w'.repeat(64), 'a/b', 'a~b'])
      await expect(call(createProject, { key })).rejects.toMatchObject({ code: 'invalid_input' });
    for (const target_branch of [
      '',
      '-x',
      'a..b',
      'a b',
      'x.lock',
      '/a',
      'a/',
      'a//b',
      '@',
      'a@{1}',
      'a~1',
      '.a',
      'a.',
      'HEAD',
    ])
      await expect(call(createProject, { ...shop, target_branch })).rejects.toMatchObject({
        code: 'invalid_input',
      });
    const repository_url = 'https://ada:hunter2@git.example/shop.git';
    await expect(call(createProject, { ...shop, repository_url })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    for (const target_branch of ['v1.2', 'feature/größe'])
      await call(createProject, { key: `p${target_branch.length}`, target_branch });
  });

  it('AC-069 AC-070 EX-197: people and services create and archive, agents never, and that is recorded', async () => {
    const { call, as, audit } = await projectsRig(open);
    const service = await as('service');
    await call(createProject, shop, service);
    const agent = { caller: { ...hostCaller('agent:x'), kind: 'agent' as const }, actor: 'agent:x' };
    await expect(call(createProject, { key: 'mine' }, agent)).rejects.toMatchObject({
      code: 'operation_not_permitted',
    });
    const archive = () => call(archiveProject, { reason: 'r' }, { ...agent, project: 'web-shop' });
    await expect(archive()).rejects.toMatchObject({ code: 'operation_not_permitted' });
    expect((await audit()).filter(({ type }) => type.startsWith('project.'))).toMatchObject([
      { type: 'project.created', target: 'web-shop', outcome: 'done' },
      { type: 'project.created', target: 'mine', outcome: 'refused' },
      { type: 'project.archived', target: 'web-shop', outcome: 'refused' },
    ]);
  });

  it('AC-070: an archived project leaves the list, keeps what it has, and comes back', async () => {
    const { call, busy, held, room, database } = await projectsRig(open);
    await call(createProject, shop);
    const at = { project: 'web-shop' };
    busy.add('web-shop');
    await expect(call(archiveProject, { reason: 'sold' }, at)).rejects.toMatchObject({
      code: 'project_active',
    });
    busy.clear();
    await call(archiveProject, { reason: 'sold', dry_run: true }, at);
    expect(await call(getProject, {}, at)).not.toHaveProperty('archived_at');
    const archived = await call(archiveProject, { reason: 'sold' }, at);
    expect(archived).toMatchObject({ archived_by: 'human:ada', archive_reason: 'sold' });
    expect((await call(listProjects, {})).data.map(({ key }) => key)).toEqual(['default']);
    expect((await call(listProjects, { archived: true })).data).toEqual([archived]);
    const isActive = () => database.read((tx) => room.isActive(tx, 'web-shop'));
    expect(await isActive()).toBe(false);
    const policy = { ...DEFAULT_POLICY, rules: 'x', expected_revision: 1 };
    for (const again of [() => call(archiveProject, { reason: 'r' }, at), () => call(setPolicy, policy, at)])
      await expect(again()).rejects.toMatchObject({ code: 'project_archived' });
    await call(restoreProject, { reason: 'ours again' }, at);
    expect(await isActive()).toBe(true);
    await expect(call(restoreProject, { reason: 'r' }, at)).rejects.toMatchObject({
      code: 'project_not_archived',
    });
    expect(held.slice(-2)).toEqual([
      ['web-shop', true],
      ['web-shop', false],
    ]);
  });

  it('EX-020: a credential of one project lists that one alone, and is issued for one that is there', async () => {
    const { call, as } = await projectsRig(open);
    await call(createProject, shop);
    const bound = await as('agent', 'web-shop');
    expect((await call(listProjects, {}, bound)).data.map(({ key }) => key)).toEqual(['web-shop']);
    const [foreign, absent] = await Promise.all(
      ['default', 'nothing'].map((project) =>
        call(getProject, {}, { ...bound, project }).catch((e: unknown) => e),
      ),
    );
    for (const [error, key] of [
      [foreign, 'default'],
      [absent, 'nothing'],
    ] as const)
      expect(error).toMatchObject({ code: 'not_found', message: `there is no project ${key}` });
    await expect(as('agent', 'nothing')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('AC-071: a policy is replaced whole, from the revision that was read, and every revision stays as it was', async () => {
    const { call, database, audit } = await projectsRig(open);
    const first = await call(getPolicy, {});
    expect(first).toMatchObject({ revision: 1, policy: DEFAULT_POLICY });
    const { allow_subagent_reviews: _, max_attempt_seconds: __, ...base } = DEFAULT_POLICY;
    const provenance = { kind: 'decision', source: 'minutes', reason: 'agreed' };
    const set = (more: object, expected_revision: number) =>
      call(setPolicy, { ...base, ...more, expected_revision, provenance });
    await set({ max_attempt_seconds: 600, allow_subagent_reviews: true, rules: 'test it' }, 1);
    // What may be left out stays; the rest is as it is said now.
    const third = await set({ review_mode: 'both' }, 2);
    expect(third).toMatchObject({
      revision: 3,
      policy: { max_attempt_seconds: 600, allow_subagent_reviews: true, rules: '', review_mode: 'both' },
      provenance,
    });
    await expect(set({}, 2)).rejects.toMatchObject({ code: 'stale_revision' });
    const history = await call(listPolicies, { limit: 2 });
    expect(history.data.map(({ revision }) => revision)).toEqual([3, 2]);
    const rest = await call(listPolicies, { cursor: history.next_cursor });
    expect(rest).toMatchObject({ has_more: false, data: [first] });
    expect(await call(getPolicy, { revision: 2 })).toMatchObject({ policy: { rules: 'test it' } });
    await expect(call(getPolicy, { revision: 9 })).rejects.toMatchObject({ code: 'not_found' });
    for (const sql of ["UPDATE project_policies SET policy = '{}'", 'DELETE FROM project_policies'])
      await expect(database.write((tx) => tx.sql.run(sql))).rejects.toThrow();
    expect((await audit()).map(({ policy_revision: revision }) => revision)).toEqual([2, 3]);
  });

  it('AC-071: of two who replace the same revision one is told that the other did', async () => {
    const { call } = await projectsRig(open);
    const set = (rules: string) => call(setPolicy, { ...DEFAULT_POLICY, rules, expected_revision: 1 });
    const both = await Promise.allSettled([set('a'), set('b')]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'stale_revision' },
    });
    expect((await call(listPolicies, {})).data).toHaveLength(2);
  });

  it('AC-072: what a policy may say has bounds', async () => {
    const { call } = await projectsRig(open);
    for (const wrong of [
      { review_mode: 'nobody' },
      { lease_seconds: 1 },
      { max_attempt_seconds: 599 },
      { max_attempt_seconds: 604_801 },
      { rules: 'x'.repeat(65_537) },
      { unknown: true },
    ])
      await expect(
        call(setPolicy, { ...DEFAULT_POLICY, ...wrong, expected_revision: 1 } as never),
      ).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(
      call(setPolicy, { ...DEFAULT_POLICY, rules: 'use sk-123', expected_revision: 1 }),
    ).rejects.toMatchObject({ code: 'credential_in_text' });
  });

  it('AC-072 AC-073: people alone change a policy; an agent changes the rules while it may, and never what it may', async () => {
    const { call, as } = await projectsRig(open);
    const [agent, service] = [await as('agent'), await as('service')];
    const set = (more: object, expected_revision: number, by: Partial<CallContext> = {}) =>
      call(setPolicy, { ...DEFAULT_POLICY, ...more, expected_revision }, by);
    const refused = { code: 'operation_not_permitted' };
    // It cannot let itself in with the same change.
    await expect(set({ rules: 'mine', agent_rule_editing: true }, 1, agent)).rejects.toMatchObject(refused);
    await expect(set({ rules: 'mine' }, 1, agent)).rejects.toMatchObject(refused);
    await set({ agent_rule_editing: true }, 1);
    const second = await set({ agent_rule_editing: true, rules: 'agents are people' }, 2, agent);
    expect(second.actor).toMatch(/^agent:/);
    for (const more of [
      { agent_rule_editing: false },
      { agent_rule_editing: true, review_mode: 'none' },
      { agent_rule_editing: true, rules: 'x', allow_subagent_reviews: true },
    ])
      await expect(set(more, 3, agent)).rejects.toMatchObject(refused);
    await expect(set({ agent_rule_editing: true, rules: 'x' }, 3, service)).rejects.toMatchObject(refused);
    expect((await call(getPolicy, {})).revision).toBe(3);
  });
});
