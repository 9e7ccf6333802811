import { type Operation, PalisadeError, TOOL_RESULT_BYTES } from '@palisade/contracts';
import * as z from 'zod';
import type { Problem } from '../http/problem.ts';
import { nextForTools } from './next-for-tools.ts';

/** Fields of inputs with which an answer is made smaller, when an operation has them. */
const SMALLER = ['limit', 'max_bytes', 'items'];

/** A tool's result as it is told. */
export interface ToolResult {
  // The protocol's own types leave room for more.
  readonly [name: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** An answer, structured and as equal JSON text (AO-130). Raises `too_large` for one that is, which says how to ask for less. */
export function toolResult(operation: Operation, answer: unknown): ToolResult {
  const text = JSON.stringify(answer);
  if (Buffer.byteLength(text) > TOOL_RESULT_BYTES) throw tooMuch(operation);
  return {
    content: [{ type: 'text', text }],
    structuredContent: JSON.parse(text) as Record<string, unknown>,
  };
}

/** A refusal. The text alone tells it: some clients hold whatever is structured against the schema of good answers. */
export function toolError(problem: Problem): ToolResult {
  const told = problem.next === undefined ? problem : { ...problem, next: nextForTools(problem.next) };
  return { content: [{ type: 'text', text: JSON.stringify(told) }], isError: true };
}

function tooMuch(operation: Operation): PalisadeError {
  const { properties = {} } = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' });
  const fields = SMALLER.filter((name) => Object.hasOwn(properties, name));
  const isDone = operation.effect !== 'read';
  return new PalisadeError('too_large', `the answer is larger than ${TOOL_RESULT_BYTES} bytes`, {
    ...(isDone ? { why: 'the change was made; only its answer cannot be told here' } : {}),
    next:
      fields.length === 0
        ? `read it over HTTP: ${operation.method} ${operation.path}`
        : `ask for less with ${fields.join(' or ')}, and page on from what is answered`,
  });
}
