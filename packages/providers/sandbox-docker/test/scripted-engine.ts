import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Socket } from 'node:net';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { EngineClient } from '../src/engine-client.ts';

/** What an engine of a test does with its requests. */
export interface Script {
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => void;
  /** Gets the connection of an attach, before anything was said on it. */
  readonly attach?: (request: IncomingMessage, socket: Socket) => void;
}

/** An engine that answers as the test says; it goes away with the test. Returns a client of it and the path of its socket. */
export async function scriptedEngine(
  script: Script,
): Promise<{ readonly client: EngineClient; readonly path: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'pal-engine-'));
  const path = join(dir, 'engine.sock');
  const server = createServer((request, response) => script.answer?.(request, response));
  server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => {});
    script.attach?.(request, socket);
  });
  server.listen(path);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(dir, { recursive: true, force: true });
  });
  return { client: new EngineClient({ kind: 'unix', path }), path };
}
