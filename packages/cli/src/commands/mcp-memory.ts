import { once } from 'node:events';
import type { mcpMemoryCommand } from '../tree/server-commands.ts';
import type { Handler } from './handler.ts';

/** `pal mcp memory`: until standard input ends. Only JSON-RPC goes to standard output. */
export const execute: Handler<typeof mcpMemoryCommand> = async (invocation) => {
  const [{ StdioServerTransport }, { memoryServer }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('../mcp/memory-server.ts'),
  ]);
  const { interrupted, stdin, out } = invocation;
  const server = memoryServer(invocation);
  const ended = once(stdin, 'end', { signal: interrupted }).catch(() => undefined);
  await server.connect(new StdioServerTransport(stdin, out.stream as never));
  await ended;
  await server.close();
  return 0;
};
