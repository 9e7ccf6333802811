import { DEFAULT_POLICY } from '@palisade/contracts';

export const PROJECT = {
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
