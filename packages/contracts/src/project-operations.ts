import * as z from 'zod';
import { operation } from './operation.ts';
import { page } from './page.ts';
import {
  BranchName,
  PolicyFields,
  PolicyProvenance,
  PolicyRevision,
  ProjectKey,
  ProjectView,
  RepositoryUrl,
} from './project.ts';

const PROJECT = '/v1/projects/{project}';
const dryRun = { dry_run: z.boolean().optional() };

export const createProject = operation({
  id: 'projects.create',
  method: 'POST',
  path: '/v1/projects',
  summary: 'Create a project; its key is for ever',
  effect: 'privileged',
  access: 'system',
  input: z.strictObject({
    key: ProjectKey,
    /** For people; the key when left out. */
    title: z.string().min(1).max(200).optional(),
    repository_url: RepositoryUrl.optional(),
    target_branch: BranchName.optional(),
    ...dryRun,
  }),
  output: ProjectView,
  errors: ['already_exists', 'operation_not_permitted'],
});

export const listProjects = operation({
  id: 'projects.list',
  method: 'GET',
  path: '/v1/projects',
  summary: 'Projects by their keys: those that are not archived, or those that are',
  effect: 'read',
  access: 'read',
  input: z.strictObject({ archived: z.boolean().optional(), ...page }),
  output: z.strictObject({
    data: z.array(ProjectView),
    /** The only project that the caller may see; null: every one. */
    only_project: ProjectKey.nullable(),
    has_more: z.boolean(),
    next_cursor: z.string().optional(),
  }),
  errors: [],
});

export const getProject = operation({
  id: 'projects.get',
  method: 'GET',
  path: PROJECT,
  summary: 'A project',
  effect: 'read',
  access: 'read',
  input: z.strictObject({}),
  output: ProjectView,
  errors: ['not_found'],
});

const Reason = z.string().min(1).max(500);

export const archiveProject = operation({
  id: 'projects.archive',
  method: 'POST',
  path: `${PROJECT}/archive`,
  summary: 'Archive a project: what it has can be read, and nothing of it starts or changes',
  effect: 'privileged',
  access: 'system',
  input: z.strictObject({ reason: Reason, ...dryRun }),
  output: ProjectView,
  errors: ['not_found', 'project_active', 'project_archived', 'operation_not_permitted'],
});

export const restoreProject = operation({
  id: 'projects.restore',
  method: 'POST',
  path: `${PROJECT}/restore`,
  summary: 'Take up an archived project again',
  effect: 'privileged',
  access: 'system',
  input: z.strictObject({ reason: Reason, ...dryRun }),
  output: ProjectView,
  errors: ['not_found', 'project_not_archived', 'operation_not_permitted'],
});

export const getPolicy = operation({
  id: 'projects.policy-get',
  method: 'GET',
  path: `${PROJECT}/policy`,
  summary: "A project's policy, as it is now or in one of its revisions",
  effect: 'read',
  access: 'read',
  input: z.strictObject({ revision: z.int().positive().optional() }),
  output: PolicyRevision,
  errors: ['not_found'],
});

/** What may be left out of a whole policy: it stays as it is (AC-071). */
const optionalFields = {
  allow_subagent_reviews: true,
  allow_relayed_human_answers: true,
  integration_owner: true,
  max_attempt_seconds: true,
} as const;

export const setPolicy = operation({
  id: 'projects.policy-set',
  method: 'PUT',
  path: `${PROJECT}/policy`,
  summary: "Replace a project's policy, when it is still the revision it was made from",
  effect: 'mutation',
  access: 'write',
  input: PolicyFields.partial(optionalFields).extend({
    expected_revision: z.int().positive(),
    provenance: PolicyProvenance.optional(),
    ...dryRun,
  }),
  output: PolicyRevision,
  errors: [
    'not_found',
    'stale_revision',
    'project_archived',
    'operation_not_permitted',
    'credential_in_text',
  ],
});

export const listPolicies = operation({
  id: 'projects.policy-history',
  method: 'GET',
  path: `${PROJECT}/policy/history`,
  summary: "Every revision of a project's policy, newest first",
  effect: 'read',
  access: 'read',
  input: z.strictObject(page),
  output: z.strictObject({
    data: z.array(PolicyRevision),
    has_more: z.boolean(),
    next_cursor: z.string().optional(),
  }),
  errors: ['not_found'],
});
