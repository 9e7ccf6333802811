import {
  type AuthorizationRequest,
  EffectClass,
  formatPath,
  type InputIssue,
  limits,
  Name,
} from '@palisade/contracts';
import * as z from 'zod';

/** A text, or one that begins as this one does up to a `*` at its end; a list means any of them. */
const Pattern = z.string().min(1).max(256);
const Patterns = z.union([Pattern, z.array(Pattern).min(1).max(100)]);

/** Applies where everything that it states is so; a rule that states nothing applies everywhere. */
export const PolicyRule = z.strictObject({
  name: Name,
  phase: z.enum(['submit', 'fire']).optional(),
  /** Recorded identity, e.g. `human:ada`, `service:*`. */
  actor: Patterns.optional(),
  /** `<pack>.<name>`; never fits an item without a shape. */
  shape: Patterns.optional(),
  effect: z.union([EffectClass, z.array(EffectClass).min(1)]).optional(),
  /** For whoever is refused: why, and what to do. */
  reason: z
    .string()
    .min(1)
    .max(limits.decisionReasonChars / 2)
    .optional(),
});
export type PolicyRule = z.infer<typeof PolicyRule>;

/**
 * What an operator lets be done (DI-194). The first rule of `deny` that applies denies. What writes needs a rule of `allow` besides, or the
 * approval of a person; everything else that no rule denies is allowed.
 */
export const Policy = z.strictObject({
  schema_version: z.literal(1),
  deny: z.array(PolicyRule).max(1_000).optional(),
  allow: z.array(PolicyRule).max(1_000).optional(),
});
export type Policy = z.infer<typeof Policy>;

/** A policy, or every mistake in what was to be one, each with its place; an unknown key is told with those there are. */
export function parsePolicy(
  value: unknown,
): { readonly ok: true; readonly policy: Policy } | { readonly ok: false; readonly issues: InputIssue[] } {
  const parsed = Policy.safeParse(value);
  if (parsed.success) return { ok: true, policy: parsed.data };
  const issues = parsed.error.issues.map(({ code, path, message }) => {
    const known = Object.keys(path.length === 0 ? Policy.shape : PolicyRule.shape).join(', ');
    return {
      path: formatPath(path),
      message: code === 'unrecognized_keys' ? `${message} (there are ${known})` : message,
    };
  });
  return { ok: false, issues };
}

/** The first of some rules that applies to what is asked. */
export function firstRule(
  rules: readonly PolicyRule[] | undefined,
  request: AuthorizationRequest,
): PolicyRule | undefined {
  return rules?.find(
    (rule) =>
      (rule.phase === undefined || rule.phase === request.phase) &&
      isOneOf(rule.actor, request.actor) &&
      isOneOf(rule.shape, request.shape) &&
      isOneOf(rule.effect, request.effect),
  );
}

function isOneOf(wanted: string | readonly string[] | undefined, value: string | undefined): boolean {
  if (wanted === undefined) return true;
  if (value === undefined) return false;
  return [wanted].flat().some((pattern) => fits(pattern, value));
}

function fits(pattern: string, value: string): boolean {
  return pattern.endsWith('*') ? value.startsWith(pattern.slice(0, -1)) : value === pattern;
}
