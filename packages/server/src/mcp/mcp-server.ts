import {
  type BoundOperation,
  type Caller,
  didYouMean,
  hasAccess,
  nameOf,
  PalisadeError,
  PRODUCT_VERSION,
} from '@palisade/contracts';
import type { McpServer } from '@modelcontextprotocol/server';
import type { CallDeps } from '../http/assert-callable.ts';
import { BODY_BYTES } from '../http/json-body.ts';
import { problemOf } from '../http/problem.ts';
import { AGENT_GUIDE } from '../discovery/agent-guide.ts';
import { callTool } from './call-tool.ts';
import type { McpCall } from './mcp-call.ts';
import { toolError, type ToolResult, toolResult } from './tool-result.ts';
import { describeTool, isTool, type ToolDescription } from './tools.ts';

/** The official package; it is loaded when somebody first speaks to the endpoint. */
type Sdk = typeof import('@modelcontextprotocol/server');

/** The tools of bound operations, and servers that offer them to one caller for one request (AO-128, AO-129). */
export class McpTools {
  readonly #deps: CallDeps;
  readonly #bound: ReadonlyMap<string, BoundOperation>;
  readonly #described = new Map<string, ToolDescription>();

  constructor(operations: readonly BoundOperation[], deps: CallDeps) {
    this.#deps = deps;
    const tools = operations.filter(({ operation }) => isTool(operation));
    this.#bound = new Map(
      tools
        .map((bound) => [nameOf(bound.operation), bound] as const)
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  }

  /** The longest arguments that any tool takes which a caller may call, bytes. */
  argumentBytes(caller: Caller): number {
    return Math.max(
      BODY_BYTES,
      ...this.#allowed(caller).map(([, { operation }]) => operation.bodyBytes ?? 0),
    );
  }

  serverFor({ McpServer, ProtocolError, ProtocolErrorCode }: Sdk, call: McpCall): McpServer {
    const mcp = new McpServer(
      { name: 'palisade', title: 'Palisade', version: PRODUCT_VERSION },
      { capabilities: { tools: { listChanged: false } }, instructions: AGENT_GUIDE },
    );
    mcp.server.setRequestHandler('tools/list', () => {
      try {
        return { tools: this.#listFor(call.caller) };
      } catch (error) {
        call.onFault(error);
        throw new ProtocolError(ProtocolErrorCode.InternalError, 'a fault of the server');
      }
    });
    mcp.server.setRequestHandler('tools/call', async ({ params }) => {
      const bound = this.#bound.get(params.name);
      if (bound === undefined)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `there is no such tool; tools/list tells which there are${didYouMean(params.name, this.#bound.keys())}`,
        );
      return this.#call(bound, params.arguments ?? {}, call);
    });
    return mcp;
  }

  #allowed(caller: Caller): [string, BoundOperation][] {
    return [...this.#bound].filter(([, { operation }]) => hasAccess(caller, operation.access));
  }

  #listFor(caller: Caller): ToolDescription[] {
    return this.#allowed(caller).map(([name, { operation }]) => {
      const known = this.#described.get(name) ?? describeTool(operation);
      this.#described.set(name, known);
      return known;
    });
  }

  async #call(bound: BoundOperation, given: Record<string, unknown>, call: McpCall): Promise<ToolResult> {
    call.onOperation(bound.operation.id);
    try {
      return toolResult(bound.operation, await callTool(this.#deps, bound, given, call));
    } catch (error) {
      const problem = problemOf(error, call.requestId, this.#deps.tell);
      if (problem.status >= 500) call.onFault(error);
      if (error instanceof PalisadeError && error.code === 'authentication_required')
        call.onUnauthenticated(error);
      return toolError(problem);
    }
  }
}
