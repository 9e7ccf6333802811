import { type Caller, PalisadeError, type ProjectView } from '@palisade/contracts';

/**
 * The isolation and naming boundary (AC-068, EX-011). Active: everything may happen in it. Archived by somebody while nothing of it is
 * under way: what it has can be read, and nothing of it starts or changes, until somebody restores it (AC-070).
 */
export interface Project {
  /** What it is called wherever it is named, for ever. */
  readonly key: string;
  /** For people. */
  readonly title: string;
  readonly repositoryUrl: string | null;
  readonly targetBranch: string | null;
  readonly policyRevision: number;
  readonly createdAt: number;
  readonly archived: { readonly at: number; readonly by: string; readonly reason: string } | null;
}

/** Projects come and go by people, or by services that provision: no agent's work (AC-069, EX-197). Raises `operation_not_permitted`. */
export function assertRulesProjects({ kind, actor }: Caller): void {
  if (kind !== 'agent') return;
  throw new PalisadeError('operation_not_permitted', 'no agent creates, archives or restores projects', {
    why: `${actor} is an agent`,
    next: 'ask an administrator',
  });
}

/** Raises `project_archived`. */
export function assertActive({ key, archived }: Pick<Project, 'key' | 'archived'>): void {
  if (archived === null) return;
  throw new PalisadeError('project_archived', `the project ${key} is archived`, {
    why: `by ${archived.by}: ${archived.reason}`,
    next: `pal project restore ${key} --reason WHY`,
  });
}

export function projectView(project: Project): ProjectView {
  const { key, title, repositoryUrl, targetBranch, policyRevision, createdAt, archived } = project;
  return {
    key,
    title,
    ...(repositoryUrl === null ? {} : { repository_url: repositoryUrl }),
    ...(targetBranch === null ? {} : { target_branch: targetBranch }),
    policy_revision: policyRevision,
    created_at: createdAt,
    ...(archived === null
      ? {}
      : { archived_at: archived.at, archived_by: archived.by, archive_reason: archived.reason }),
  };
}
