import {
  DEFAULT_PROJECT,
  isPalisadeError,
  listProjects,
  type OperationCaller,
  PalisadeError,
} from '@palisade/contracts';

/**
 * The project that calls of a server are about where none is named: the one that the credential is held to, else the default one. Asked of
 * the server. Raises what it answers to a credential that it does not know, and `upstream_failed`.
 */
export async function chosenProject(caller: OperationCaller): Promise<string> {
  try {
    const { only_project: only } = await caller.call(listProjects, { limit: 1 });
    // An older server does not say.
    return only ?? DEFAULT_PROJECT;
  } catch (error) {
    // What the credential may not do at all, the call itself says.
    if (isPalisadeError(error, 'operation_not_permitted')) return DEFAULT_PROJECT;
    if (!isPalisadeError(error, 'upstream_failed')) throw error;
    throw new PalisadeError(error.code, error.message, {
      why: error.why ?? 'it was asked which project the credential is held to',
      next: 'check that the server runs and its address is right; --project NAME spares the question',
      cause: error,
    });
  }
}
