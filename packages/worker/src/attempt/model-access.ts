import { join } from 'node:path';
import { ATTEMPT_FILES, type ModelAccess, PalisadeError } from '@palisade/contracts';
import { ModelRelay } from '../model-relay/model-relay.ts';
import type { AttemptContext } from './context.ts';

/** An attempt's open way to its model. */
export interface OpenModel {
  readonly relay: ModelRelay;
  readonly access: ModelAccess;
}

/**
 * Opens the relay of an attempt that names a model endpoint; null for one that names none. The sandbox has
 * to show the relay's directory.
 *
 * @throws PalisadeError `secret_missing` when the endpoint's credential was not handed over
 */
export async function openModel(attempt: AttemptContext): Promise<OpenModel | null> {
  const endpoint = attempt.spec.model_endpoint;
  if (endpoint === undefined) return null;
  if (attempt.modelCredential === undefined)
    throw new PalisadeError(
      'secret_missing',
      `the worker was not given the credential of the model endpoint ${endpoint.name}`,
    );
  const relay = await ModelRelay.open({
    directory: join(attempt.attemptDir, ATTEMPT_FILES.model),
    endpoint,
    credential: attempt.modelCredential,
  });
  const { kind: wire, credential, models = {} } = endpoint;
  const { socketPath, placeholder } = relay;
  return { relay, access: { wire, credential, socketPath, placeholder, models } };
}

/** Closes the relay and puts into the report what went through it. */
export function closeModel(attempt: AttemptContext, { relay }: OpenModel): void {
  relay.close();
  attempt.report.facts({ model_traffic: relay.traffic });
  for (const trouble of relay.troubles) attempt.report.warn(trouble);
}
