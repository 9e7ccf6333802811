import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { PRODUCT_VERSION, type Scope } from '@palisade/contracts';
import { onTestFinished } from 'vitest';
import type { Answer, HttpRig } from './http-rig.ts';

/** Revisions of the protocol, and how a client of each comes to speak it. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

/** What tools answer, as tests look at it. */
export interface Told {
  readonly isError: boolean;
  /** The JSON of its text. */
  readonly text: Record<string, unknown>;
  readonly structured: Record<string, unknown> | undefined;
}

/** The official client, connected to a rig with a token. */
export async function mcpClient(rig: HttpRig, token: string, revision: Revision = '2025-11-25') {
  const client = new Client(
    { name: 'test', version: PRODUCT_VERSION },
    revision === '2026-07-28' ? { versionNegotiation: { mode: { pin: revision } } } : {},
  );
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', rig.url), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<Told> => {
    const result = await client.callTool({ name, arguments: args });
    const [first] = result.content;
    return {
      isError: result.isError === true,
      text: JSON.parse(first?.type === 'text' ? first.text : 'null') as Record<string, unknown>,
      structured: result.structuredContent as Record<string, unknown> | undefined,
    };
  };
  return { client, transport, call };
}

/** One message by hand, as a client of 2025-11-25 sends it. */
export function post(
  rig: HttpRig,
  token: string | undefined,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return rig.send('POST', '/mcp', {
    token,
    body,
    headers: { Accept: 'application/json, text/event-stream', ...headers },
  });
}

export const message = (method: string, params: object = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

/** Calls a tool by hand; what a JSON-RPC answer says. */
export async function callByHand(
  rig: HttpRig,
  token: string | undefined,
  name: string,
  args: object = {},
  headers: Record<string, string> = {},
) {
  const answer = await post(rig, token, message('tools/call', { name, arguments: args }), headers);
  const { result, error } = answer.body as unknown as {
    result?: { isError?: boolean; content: { text: string }[] };
    error?: { code: number; message: string };
  };
  return {
    status: answer.status,
    problem: answer.body,
    error,
    isError: result?.isError === true,
    told:
      result === undefined
        ? undefined
        : (JSON.parse(result.content[0]?.text ?? 'null') as Record<string, unknown>),
  };
}

export const EVERYDAY: readonly Scope[] = ['read', 'write'];
