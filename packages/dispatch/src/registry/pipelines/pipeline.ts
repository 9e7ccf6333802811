import {
  type InputIssue,
  isPalisadeError,
  type PipelineDefinition,
  PipelineInput,
  zodIssues,
} from '@palisade/contracts';
import { assertNoCredentialsWithin } from '../credential-scan.ts';

/** A pipeline that may be registered, or every problem it has, each with its place (DI-112). */
export type ValidatedPipeline =
  | { readonly ok: true; readonly input: PipelineInput; readonly issues: readonly [] }
  | { readonly ok: false; readonly issues: readonly InputIssue[] };

/** Checks what somebody wants to register as a pipeline, without a control plane. */
export function validatePipeline(value: unknown): ValidatedPipeline {
  const parsed = PipelineInput.safeParse(value);
  if (!parsed.success)
    return { ok: false, issues: zodIssues(parsed.error, { schema: PipelineInput, value }) };
  try {
    scanPipeline(parsed.data);
  } catch (error) {
    if (!isPalisadeError(error)) throw error;
    return { ok: false, issues: [{ path: 'blocks', message: error.message }] };
  }
  return { ok: true, input: parsed.data, issues: [] };
}

/** Raises `credential_in_text` when a command looks like it holds a credential. */
export function scanPipeline({ name, blocks, allow_credential_patterns: allowed = [] }: PipelineInput): void {
  assertNoCredentialsWithin(`pipeline:${name}`, { blocks }, allowed);
}

/** The immutable definition of a pipeline. */
export function pipelineDefinition({ name, blocks }: PipelineInput): PipelineDefinition {
  return { schema_version: 1, name, blocks };
}
