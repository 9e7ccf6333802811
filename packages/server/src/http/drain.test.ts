import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Hono } from 'hono';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from './listen.ts';

/** A server whose `/slow` answers when it is let, and one connection to it that is kept. */
async function draining() {
  const slow = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const app = new Hono();
  app.get('/quick', (c) => c.text('quick'));
  app.get('/slow', async (c) => {
    reached.resolve();
    await slow.promise;
    return c.text('slow');
  });
  app.get('/begun', () => {
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(Buffer.from('begun '));
        reached.resolve();
        await slow.promise;
        controller.enqueue(Buffer.from('and ended'));
        controller.close();
      },
    });
    return new Response(body);
  });
  const server = await listen(app as never, { host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const get = (path: string) =>
    new Promise<{ readonly text: string; readonly connection: string | undefined }>((resolve, reject) => {
      const sent = request(`${server.url}${path}`, { agent }, (response: IncomingMessage) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve({ text, connection: response.headers.connection }));
        response.on('error', reject);
      });
      sent.on('error', reject).end();
    });
  const close = async (drainMs?: number): Promise<number> => {
    const began = performance.now();
    await server.close(drainMs);
    return performance.now() - began;
  };
  return { server, get, close, reached: reached.promise, let: slow.resolve };
}

it('a connection that is kept and idle holds nothing up', async () => {
  const { get, close } = await draining();
  await get('/quick');
  expect(await close()).toBeLessThan(2_000);
});

it('so does one that never said anything, or half of a request', async () => {
  const { server, close } = await draining();
  const { port } = new URL(server.url);
  for (const said of ['', 'GET /quick HTTP/1.1\r\nHost: x\r\n']) {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(said));
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
  }
  await delay(100);
  expect(await close()).toBeLessThan(2_000);
});

it.each(['/slow', '/begun'])(
  'what is under way is answered (%s), and its connection is not kept',
  async (path) => {
    const { get, close, reached, let: letGo } = await draining();
    await get('/quick');
    const answer = get(path);
    await reached;
    const closed = close();
    await delay(100);
    letGo();
    expect((await answer).text).toBe(path === '/slow' ? 'slow' : 'begun and ended');
    if (path === '/slow') expect((await answer).connection).toBe('close');
    expect(await closed).toBeLessThan(2_000);
  },
);

it('what does not end in time is cut', async () => {
  const { get, close, reached } = await draining();
  const answer = get('/slow').catch(() => 'cut');
  await reached;
  expect(await close(200)).toBeLessThan(2_000);
  expect(await answer).toBe('cut');
});
