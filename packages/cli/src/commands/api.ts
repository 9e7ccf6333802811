import { declaredOperations, type Operation } from '@palisade/contracts';
import { inputOf } from '../api/operation-input.ts';
import { operationNamed } from '../api/operation-named.ts';
import { printAnswer } from '../api/print-answer.ts';
import type { Invocation } from '../invocation.ts';
import { emit } from '../output/format.ts';
import { parseJson, readInput } from '../read-input.ts';
import type { apiCommand } from '../tree/connection-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

/** `pal api [OPERATION] [FIELD=VALUE…]`: what every other command is made of, without anything of its own. */
export const execute: Handler<typeof apiCommand> = async (invocation, args, flags) => {
  if (args.operation === undefined) {
    if (flags.input !== undefined) throw new UsageError('--input needs an operation', { next: 'pal api' });
    list(invocation);
    return 0;
  }
  const operation = operationNamed(args.operation);
  const document = flags.input === undefined ? {} : await documentOf(invocation, operation, flags.input);
  const input = { ...inputOf(operation, args.fields, document), ...rehearsal(invocation, operation) };
  const answer: unknown = await invocation.call(operation, input, { signal: invocation.interrupted });
  return printAnswer(invocation, operation, answer);
};

function rehearsal(invocation: Invocation, operation: Operation): { readonly dry_run?: true } {
  if (!invocation.isDryRun || operation.effect === 'read') return {};
  if ('shape' in operation.input && Object.hasOwn(operation.input.shape as object, 'dry_run'))
    return invocation.rehearsed;
  throw new UsageError(`${operation.id} cannot be rehearsed`, {
    next: `pal api ${operation.id}, without --dry-run`,
  });
}

/** Longest document where an operation names no limit of its own (AO-044), bytes. */
const DOCUMENT_BYTES = 1024 * 1024;

async function documentOf(
  invocation: Invocation,
  operation: Operation,
  name: string,
): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await readInput(invocation, name, operation.bodyBytes ?? DOCUMENT_BYTES);
  const document = parseJson(bytes, name, 'invalid_input');
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) return { ...document };
  throw new UsageError(`the input of ${operation.id} must be a JSON object`);
}

function list(invocation: Invocation): void {
  const data = declaredOperations().map(({ id, method, path, access, effect, summary }) => ({
    id,
    method,
    path,
    scope: access,
    effect,
    summary,
  }));
  const width = Math.max(...data.map(({ id }) => id.length));
  emit(invocation, {
    json: { data, has_more: false },
    records: data,
    ids: data.map(({ id }) => id),
    text: () =>
      data.map(
        ({ id, method, path, scope, summary }) =>
          `${id.padEnd(width)}  ${scope.padEnd(9)}  ${method.padEnd(6)} ${path}  ${summary}`,
      ),
  });
}
