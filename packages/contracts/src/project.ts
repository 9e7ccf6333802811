import * as z from 'zod';
import { Millis } from './schema.ts';

/** What a project is called wherever it is named: in paths, rows and credentials, for ever. Its title is for people. */
export const ProjectKey = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,62}$/, 'must be 1 to 63 of a-z, 0-9 and -, starting with a letter');

const REF_CHARACTERS = /^[^\u0000-\u0020\u007f~^:?*[\\]+$/;

/** True for a name that Git takes for a branch: the rules of `git check-ref-format --branch`. */
export function isBranchName(name: string): boolean {
  const isWhole = name !== '' && name !== '@' && name !== 'HEAD' && !name.startsWith('-');
  const isPlain =
    REF_CHARACTERS.test(name) && !name.includes('..') && !name.includes('@{') && !name.endsWith('.');
  return (
    isWhole &&
    isPlain &&
    name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
  );
}

export const BranchName = z
  .string()
  .max(255)
  .refine(isBranchName, 'must be a name that Git takes for a branch');

/** A clone URL without a password: it is shown to everybody who sees the project. */
export const RepositoryUrl = z
  .string()
  .min(1)
  .max(2_000)
  .regex(/^[\u0021-\u007e]+$/, 'must be a URL')
  .refine((text) => !hasPassword(text), 'must hold no password');

function hasPassword(text: string): boolean {
  try {
    return new URL(text).password !== '';
  } catch {
    return false;
  }
}

/**
 * What a project's work is held to (AC-072). `rules` is text for whoever works; it grants nothing, whatever it says (AC-073). Only
 * people change the rest.
 */
export const PolicyFields = z.strictObject({
  /** Who reviews what is submitted. */
  review_mode: z.enum(['agent', 'human', 'both', 'either', 'none']),
  /** Who takes up what was left behind. */
  recovery_mode: z.enum(['agent', 'manual']),
  /** How long work is owned without a sign of life. */
  lease_seconds: z.int().min(30).max(86_400),
  rules: z.string().max(65_536),
  /** Whether agents may change `rules`, and nothing else. */
  agent_rule_editing: z.boolean(),
  /** False: a person lets each integration go. */
  automatic_integration: z.boolean(),
  /** Whether an agent may have its work reviewed by one that it started. */
  allow_subagent_reviews: z.boolean(),
  /** Whether an agent may hand on what a person answered. */
  allow_relayed_human_answers: z.boolean(),
  integration_owner: z.enum(['agent', 'integrator']),
  /** The longest that one attempt may last; 0: no limit. */
  max_attempt_seconds: z.union([z.literal(0), z.int().min(600).max(604_800)]),
});
export type PolicyFields = z.infer<typeof PolicyFields>;

/** What a project starts with. */
export const DEFAULT_POLICY: PolicyFields = {
  review_mode: 'agent',
  recovery_mode: 'agent',
  lease_seconds: 600,
  rules: '',
  agent_rule_editing: false,
  automatic_integration: false,
  allow_subagent_reviews: false,
  allow_relayed_human_answers: false,
  integration_owner: 'agent',
  max_attempt_seconds: 0,
};

/** Where a policy comes from, as whoever set it says; nothing reads it. */
export const PolicyProvenance = z.strictObject({
  /** Such as `import`, `decision` or `console`. */
  kind: z.string().min(1).max(64),
  /** What it was taken from: an address, a path, an id. */
  source: z.string().max(500).optional(),
  reason: z.string().max(2_000).optional(),
});
export type PolicyProvenance = z.infer<typeof PolicyProvenance>;

/** One revision of a project's policy: it never changes. */
export const PolicyRevision = z.strictObject({
  revision: z.int().positive(),
  policy: PolicyFields,
  /** Who set it; absent of the one that a project starts with. */
  actor: z.string().optional(),
  set_at: Millis,
  provenance: PolicyProvenance.optional(),
});
export type PolicyRevision = z.infer<typeof PolicyRevision>;

/** A project as it is shown (AC-068). */
export const ProjectView = z.strictObject({
  key: ProjectKey,
  title: z.string(),
  repository_url: z.string().optional(),
  /** Where work of the project goes in the end. */
  target_branch: z.string().optional(),
  policy_revision: z.int().positive(),
  created_at: Millis,
  archived_at: Millis.optional(),
  archived_by: z.string().optional(),
  archive_reason: z.string().optional(),
});
export type ProjectView = z.infer<typeof ProjectView>;
