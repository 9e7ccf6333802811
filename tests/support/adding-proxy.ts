import { createServer, request } from 'node:http';
import { onLoopback } from './on-loopback.ts';

/** A proxy on this machine that adds headers to every request and changes nothing else: for clients that cannot send them. */
export async function addingProxy(target: string, headers: Record<string, string>): Promise<string> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const options = { hostname, port, path: incoming.url, method: incoming.method };
    const sent = request({ ...options, headers: { ...incoming.headers, ...headers } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    sent.on('error', () => outgoing.destroy());
    incoming.pipe(sent);
  });
  return onLoopback(server);
}
