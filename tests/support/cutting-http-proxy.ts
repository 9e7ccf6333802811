import { createServer, request } from 'node:http';
import { onLoopback } from './on-loopback.ts';

/** A proxy before a server: every request gets through, and while `cuts` no answer. */
export interface CuttingHttpProxy {
  readonly state: { cuts: boolean };
  /** Method and path of each request whose answer was cut; it is committed. */
  readonly cut: readonly string[];
  readonly url: string;
}

export async function cuttingHttpProxy(target: string): Promise<CuttingHttpProxy> {
  const { hostname, port } = new URL(target);
  const state = { cuts: false };
  const cut: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { url: path, method, headers } = incoming;
    const sent = request({ hostname, port, path, method, headers }, (answer) => {
      const isCut = state.cuts;
      if (!isCut) outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.on('data', (part: Buffer) => !isCut && outgoing.write(part));
      answer.on('end', () => {
        if (isCut) cut.push(`${method} ${path}`);
        if (isCut) outgoing.destroy();
        else outgoing.end();
      });
    });
    sent.on('error', () => outgoing.destroy());
    incoming.pipe(sent);
  });
  return { state, cut, url: await onLoopback(server) };
}
