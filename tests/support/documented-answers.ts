import { type BoundOperation, documentedCodes, isPalisadeError, type Operation } from '@palisade/contracts';
import { vi } from 'vitest';

/*
 * Runs before every suite of a room: whatever operation a test calls, and by whatever way, its answer must be what the API says of it,
 * so that what is documented is complete as far as the tests reach. What is answered must fit the declared output, and a refusal must
 * carry a declared code (EX-018, EX-217).
 */

vi.mock('../../packages/contracts/src/operation.ts', async (original) => {
  const real = await original<typeof import('../../packages/contracts/src/operation.ts')>();
  return {
    ...real,
    bindOperation: (operation: Operation, handler: BoundOperation['handler']): BoundOperation => {
      const bound = real.bindOperation(operation, handler);
      return Object.freeze({
        operation,
        handler: async (...call: Parameters<BoundOperation['handler']>) => {
          const answer = await bound.handler(...call).catch((error: unknown) => {
            throw isDocumented(operation, error) ? error : undocumented(operation, error);
          });
          assertFits(operation, answer);
          return answer;
        },
      });
    },
  };
});

function isDocumented(operation: Operation, error: unknown): boolean {
  return !isPalisadeError(error) || documentedCodes(operation).includes(error.code);
}

function undocumented({ id }: Operation, error: unknown): Error {
  const { code = '' } = error as { code?: string };
  return new Error(`${id} refused with ${code}, which it does not document`, { cause: error });
}

/** As JSON, since that is what every surface but the one in process hands on. */
function assertFits({ id, output }: Operation, answer: unknown): void {
  const { error } = output.safeParse(JSON.parse(JSON.stringify(answer)));
  if (error !== undefined)
    throw new Error(`the answer of ${id} is not what it documents: ${error.message}`, { cause: error });
}
