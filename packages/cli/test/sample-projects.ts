import { DEFAULT_POLICY } from '@palisade/contracts';

const PROJECT = {
  key: 'web-shop',
  title: 'Web shop',
  repository_url: 'https://git.example/shop.git',
  target_branch: 'main',
  policy_revision: 2,
  created_at: Date.UTC(2026, 0, 1),
} as const;

export const POLICY = {
  revision: 2,
  policy: { ...DEFAULT_POLICY, rules: 'Every change has a test.' },
  actor: 'human:ada',
  set_at: Date.UTC(2026, 0, 2),
  provenance: { kind: 'cli', reason: 'agreed' },
} as const;

const page = { limit: ['1'], cursor: ['1'] };

/** Command lines about projects; see `Case`. */
export const projectCases = {
  'project create': {
    args: ['project', 'create', 'web-shop'],
    flags: {
      title: ['Web shop'],
      'repository-url': ['https://git.example/shop.git'],
      'target-branch': ['main'],
    },
  },
  'project list': { args: ['project', 'list'], flags: { archived: [], ...page } },
  'project show': { args: ['project', 'show', 'web-shop'] },
  'project archive': {
    args: ['project', 'archive', 'web-shop', '--reason', 'it is sold'],
    flags: { reason: ['it is closed'] },
  },
  'project restore': {
    args: ['project', 'restore', 'web-shop', '--reason', 'it is ours again'],
    flags: { reason: ['it is open'] },
  },
  'project policy': { args: ['project', 'policy', 'web-shop'], flags: { revision: ['1'] } },
  'project policy-set': {
    args: ['project', 'policy-set', 'web-shop', '--file', 'policy.json'],
    flags: { file: ['other-policy.json'], revision: ['7'], reason: ['agreed'] },
  },
  'project policy-history': { args: ['project', 'policy-history', 'web-shop'], flags: page },
};

/** What operations on projects answer. */
export const projectAnswers = {
  'projects.create': PROJECT,
  'projects.list': { data: [PROJECT], only_project: null, has_more: false },
  'projects.get': PROJECT,
  'projects.archive': {
    ...PROJECT,
    archived_at: PROJECT.created_at,
    archived_by: 'human:ada',
    archive_reason: 'it is sold',
  },
  'projects.restore': PROJECT,
  'projects.policy-get': POLICY,
  'projects.policy-set': { ...POLICY, revision: 3 },
  'projects.policy-history': { data: [POLICY], has_more: false },
};
