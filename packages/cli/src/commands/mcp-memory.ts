import { addAbortSignal } from 'node:stream';
import type { mcpMemoryCommand } from '../tree/server-commands.ts';
import type { Handler } from './handler.ts';

/** How long what was asked may take when nothing more can be asked. */
const LAST_ANSWERS_MS = 120_000;

/** `pal mcp memory`: until standard input ends and what was asked is answered. Only JSON-RPC goes to standard output. */
export const execute: Handler<typeof mcpMemoryCommand> = async (invocation) => {
  const [{ LineTransport }, { memoryServer }, { messageLines }] = await Promise.all([
    import('../mcp/line-transport.ts'),
    import('../mcp/memory-server.ts'),
    import('../mcp/message-lines.ts'),
  ]);
  const { interrupted, stdin, out } = invocation;
  const server = memoryServer(invocation);
  const transport = new LineTransport((text) => out.write(text));
  await server.connect(transport);
  addAbortSignal(interrupted, stdin);
  try {
    for await (const line of messageLines(stdin)) transport.take(line);
  } catch (error) {
    if (!interrupted.aborted) throw error;
  } finally {
    await transport.answered(LAST_ANSWERS_MS, AbortSignal.any([interrupted, out.closed]));
    await server.close();
  }
  return 0;
};
