import { isOfOwnAccount, isOfProject, nameOf, type Operation } from '@palisade/contracts';
import * as z from 'zod';

type Schema = Readonly<Record<string, unknown>>;

/** What a tool is told to be: the fields of a tool in `tools/list`. */
export interface ToolDescription {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Schema & { readonly type: 'object' };
  readonly outputSchema: Schema & { readonly type: 'object' };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** Arguments of a tool that are of the call and not of the operation's input. */
export const PROJECT = 'project';
export const IDEMPOTENCY_KEY = 'idempotency_key';

/**
 * True for an operation that is offered as a tool: what reads, and what is everyday work. What decides for a person, what others run
 * or hold and what changes rights is no tool at all (DI-216, AO-134), nor what answers with a stream.
 */
export function isTool(operation: Operation): boolean {
  const { access, effect, frame } = operation;
  if (frame !== undefined || isOfOwnAccount(operation)) return false;
  return (access === 'read' || access === 'write') && effect !== 'privileged';
}

/** Describes an operation as a tool; everything in it follows from the declaration. Raises an Error for one that cannot be told: a fault of ours. */
export function describeTool(operation: Operation): ToolDescription {
  const { summary, effect, access, method, isDestructive = method === 'DELETE' } = operation;
  const isRead = effect === 'read';
  return {
    name: nameOf(operation),
    title: summary,
    description: isRead
      ? `${summary}. Needs the scope ${access}; changes nothing.`
      : `${summary}. Needs the scope ${access}. The same idempotency_key with the same arguments is answered as before and not done again.`,
    inputSchema: inputSchema(operation),
    outputSchema: objectSchema(operation, 'output'),
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: !isRead && isDestructive,
      // A read changes nothing; a change has its key.
      idempotentHint: true,
      // What is started may reach beyond the control plane; what is read may not.
      openWorldHint: !isRead,
    },
  };
}

function inputSchema(operation: Operation): ToolDescription['inputSchema'] {
  const schema = objectSchema(operation, 'input');
  const own: Record<string, Schema> = {
    ...(isOfProject(operation)
      ? {
          [PROJECT]: {
            type: 'string',
            maxLength: 128,
            description: 'default: the only one that the credential may see, or the one called default',
          },
        }
      : {}),
    ...(operation.effect === 'read'
      ? {}
      : {
          [IDEMPOTENCY_KEY]: {
            type: 'string',
            minLength: 1,
            maxLength: 200,
            pattern: '^[\\x21-\\x7e]+$',
            description:
              'new and random for each change; the same one again only to repeat a call whose answer was lost',
          },
        }),
  };
  const { properties = {}, required = [] } = schema as { properties?: Schema; required?: readonly string[] };
  for (const name of Object.keys(own))
    if (Object.hasOwn(properties, name)) throw new Error(`${operation.id} has a field ${name} of its own`);
  return {
    ...schema,
    properties: { ...properties, ...own },
    required: [...required, ...(operation.effect === 'read' ? [] : [IDEMPOTENCY_KEY])],
  };
}

/** An object without alternatives at its top, and what is given without references, as every client takes it (FF-105). */
function objectSchema({ id, input, output }: Operation, io: 'input' | 'output') {
  const schema = z.toJSONSchema(io === 'input' ? input : output, { io, unrepresentable: 'any' });
  const isPlain = schema.type === 'object' && schema.anyOf === undefined && schema.oneOf === undefined;
  if (!isPlain || (io === 'input' && schema.$defs !== undefined))
    throw new Error(`the ${io} of ${id} cannot be the schema of a tool`);
  return schema as ToolDescription['inputSchema'];
}
