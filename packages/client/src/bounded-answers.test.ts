import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Server } from 'node:net';
import { constants, createGzip } from 'node:zlib';
import { getArtifact, limits, listRuns } from '@palisade/contracts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { remoteCaller } from './remote-caller.ts';

const MiB = 1024 * 1024;
const BLANKS = Buffer.alloc(MiB, ' ');

/** Where `server` listens; it is ended with the test. */
async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that answers everything by `answer`, and whether it was left. */
async function hostile(answer: (response: ServerResponse) => void) {
  const seen = { calls: 0, left: 0 };
  const server = createServer((_, response) => {
    seen.calls++;
    response.on('close', () => seen.left++);
    answer(response);
  });
  const origin = await listening(server);
  onTestFinished(() => server.closeAllConnections());
  return { origin, seen };
}

/** Writes the same bytes for as long as somebody takes them. */
function pourInto(sink: NodeJS.WritableStream & { destroyed?: boolean }): void {
  const more = (): void => {
    while (sink.destroyed !== true) if (!sink.write(BLANKS)) return void sink.once('drain', more);
  };
  sink.on('error', () => {});
  more();
}

/** The fault of a call, and by how much the process grew while it was made. */
async function fault(origin: string, options: { attemptMs?: number; patienceMs?: number } = {}) {
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
  const begun = performance.now();
  try {
    const error: unknown = await remoteCaller({ origin, token: 't', ...options })
      .call(listRuns, {})
      .catch((thrown: unknown) => thrown);
    return { error, grownBytes: most - before, tookMs: performance.now() - begun };
  } finally {
    clearInterval(timer);
  }
}

describe('a server that does not stop', () => {
  it('inflates one answer without an end: it is given up at the limit, and not asked again', async () => {
    const { origin, seen } = await hostile((response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
      const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
      gzip.pipe(response);
      response.on('close', () => gzip.destroy());
      pourInto(gzip);
    });
    const { error, grownBytes } = await fault(origin);
    expect(error).toMatchObject({
      code: 'upstream_failed',
      message: `${origin} answered with more than ${limits.answerBytes} bytes`,
    });
    expect(grownBytes).toBeLessThan(8 * limits.answerBytes);
    expect(seen.calls).toBe(1);
    await expect.poll(() => seen.left).toBe(1);
  });

  it.each([200, 500])('sends chunk after chunk with status %i', async (status) => {
    const { origin, seen } = await hostile((response) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      pourInto(response);
    });
    const { error, grownBytes } = await fault(origin);
    expect(error).toMatchObject({ message: expect.stringContaining('answered with more than') });
    expect(grownBytes).toBeLessThan(8 * limits.answerBytes);
    expect(seen.calls).toBe(1);
    await expect.poll(() => seen.left).toBe(1);
  });

  it('sends header after header', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.write('HTTP/1.1 200 OK\r\n');
      const more = (): void => {
        while (!socket.destroyed)
          if (!socket.write('X-More: and more\r\n'.repeat(1000))) return void socket.once('drain', more);
      };
      more();
    });
    const { error, grownBytes } = await fault(await listening(server), { patienceMs: 0 });
    expect(error).toMatchObject({ code: 'upstream_failed' });
    expect(grownBytes).toBeLessThan(64 * MiB);
  });

  it('sends a byte now and then: the answer as a whole has its time', async () => {
    const { origin } = await hostile((response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
    const { error, tookMs } = await fault(origin, { attemptMs: 500, patienceMs: 0 });
    expect(error).toMatchObject({ code: 'upstream_failed', message: expect.stringContaining('too long') });
    expect(tookMs).toBeLessThan(5_000);
  });

  it('an answer as long as the limit is taken, also with characters that are cut by its parts', async () => {
    const base64 = 'é'.repeat(limits.artifactPartBytes);
    const { origin } = await hostile((response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ base64 }).padEnd(limits.answerBytes - limits.artifactPartBytes, ' '));
    });
    const answer = await remoteCaller({ origin, token: 't' }).call(getArtifact, {
      ref: `sha256:${'0'.repeat(64)}`,
    });
    expect(answer.base64 === base64).toBe(true);
  });
});
