import type { Duplex } from 'node:stream';

/** By the parser's code: what a client is told whose request has no head that could be read, and what the log calls it. */
const HEADS: Readonly<Record<string, readonly [status: string, why: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'large_head'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Content Too Large', 'large_chunk_extensions'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'slow_request'],
};

/** Answers what never became a request. A client that is gone is no refusal. */
export function refuseHead(
  error: NodeJS.ErrnoException,
  socket: Duplex & { destroySoon?(): void },
  onRefused: (why: string) => void,
): void {
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, why] = HEADS[error.code ?? ''] ?? ['400 Bad Request', 'malformed_head'];
  onRefused(why);
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  socket.destroySoon?.();
}
