import { isPalisadeError, type PalisadeError } from '@palisade/contracts';
import type { CallDeps } from '../http/assert-callable.ts';
import { readJsonBody } from '../http/json-body.ts';
import { type Problem, problemOf } from '../http/problem.ts';
import { assertOwnOrigin } from './assert-own-origin.ts';
import type { McpCall } from './mcp-call.ts';
import type { McpTools } from './mcp-server.ts';

export interface McpDeps {
  readonly tools: McpTools;
  /** The server's own, of whose pages requests may come. */
  readonly origin: string;
  readonly tell: CallDeps['tell'];
}

/** Headers of a request that the protocol's package is shown: never the credential (AO-128). */
const SHOWN = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

/** JSON-RPC's own codes. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;

/**
 * Answers a request of an authenticated caller to `/mcp`: stateless Streamable HTTP in the revisions that the official package knows, one
 * JSON message in and at most one out, with no session and no stream (AO-128). Raises `operation_not_permitted` for a foreign origin, and
 * `authentication_required` when the credential was revoked meanwhile.
 */
export async function answerMcp(
  deps: McpDeps,
  request: Request,
  call: Omit<McpCall, 'onUnauthenticated'>,
): Promise<Response> {
  assertOwnOrigin(request.headers, deps.origin);
  if (request.method !== 'POST')
    return refusal(405, INVALID_REQUEST, 'there are no streams and no sessions here: POST a message', {
      Allow: 'POST',
    });
  let message: unknown;
  try {
    const body = await readJsonBody(request, deps.tools.argumentBytes(call.caller), call.exchange);
    message = body.value;
  } catch (error) {
    if (isPalisadeError(error) && error.facts.retryable) throw error;
    return unreadable(problemOf(error, call.requestId, deps.tell));
  }
  if (message === undefined) return refusal(400, PARSE_ERROR, 'the body is empty');
  if (Array.isArray(message)) return refusal(400, INVALID_REQUEST, 'batches are not taken: POST one message');
  if (isSubscription(message))
    return refusal(
      404,
      METHOD_NOT_FOUND,
      'nothing here changes: there is nothing to listen to',
      {},
      message.id,
    );
  let unauthenticated: PalisadeError | undefined;
  const response = await exchange(deps, request, message, {
    ...call,
    onUnauthenticated: (error) => {
      unauthenticated = error;
    },
  });
  if (unauthenticated !== undefined) throw unauthenticated;
  return response;
}

async function exchange(deps: McpDeps, request: Request, message: unknown, call: McpCall): Promise<Response> {
  const sdk = await import('@modelcontextprotocol/server');
  const shown = new Request(request.url, {
    method: 'POST',
    headers: SHOWN.flatMap((name): [string, string][] => {
      const value = request.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  });
  if (!(await sdk.isLegacyRequest(shown, message))) {
    const handler = sdk.createMcpHandler(() => deps.tools.serverFor(sdk, call), { legacy: 'reject' });
    return handler.fetch(shown, { parsedBody: message });
  }
  const server = deps.tools.serverFor(sdk, call);
  const transport = new sdk.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(shown, { parsedBody: message });
  } finally {
    await server.close();
  }
}

function isSubscription(message: unknown): message is { readonly id: unknown } {
  return (message as { method?: unknown } | null)?.method === 'subscriptions/listen';
}

function unreadable(problem: Problem): Response {
  const code = problem.status === 400 ? PARSE_ERROR : INVALID_REQUEST;
  return refusal(problem.status, code, problem.detail, {}, null, problem);
}

/** A message that reached no tool, as JSON-RPC tells it. */
function refusal(
  status: number,
  code: number,
  message: string,
  headers: Record<string, string> = {},
  id: unknown = null,
  data?: Problem,
): Response {
  const told = typeof id === 'string' || typeof id === 'number' ? id : null;
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return new Response(JSON.stringify({ jsonrpc: '2.0', id: told, error }), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}
