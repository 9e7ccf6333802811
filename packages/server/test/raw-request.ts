import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection that sends what it is told, when it is told, and nothing else. */
export interface RawRequest {
  readonly socket: Socket;
  /** Everything that came so far. */
  readonly text: () => string;
  /** The status of the first answer, when it has come; 0 when the connection ended without one. */
  readonly status: Promise<number>;
}

/** Opens a connection to a server and writes text to it. */
export function rawRequest(url: string, text: string): RawRequest {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(text);
  onTestFinished(() => void socket.destroy());
  let came = '';
  const status = new Promise<number>((resolve) => {
    socket.setEncoding('utf8').on('data', (part: string) => {
      came += part;
      const found = /^HTTP\/1\.1 (\d{3})/.exec(came)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    socket.on('error', () => {}).on('close', () => resolve(0));
  });
  return { socket, text: () => came, status };
}

/** The head of a request, with whatever else its headers hold. */
export function head(method: string, path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ Host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}
