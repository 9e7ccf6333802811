import { connect, type Socket } from 'node:net';

/*
 * A client in a process of its own, so that what it costs is not the server's: told over IPC what to send, it answers with times in
 * milliseconds. Connections are kept, and each has one request under way at a time.
 */

/** `calls`: so many requests over so many connections. `follow`: so many streams, each opened anew so many times in all. */
export type Load =
  | {
      readonly kind: 'calls';
      readonly port: number;
      readonly clients: number;
      readonly ms: number;
      readonly head: string;
      readonly body?: string;
    }
  | {
      readonly kind: 'follow';
      readonly port: number;
      readonly path: string;
      readonly tokens: readonly string[];
      readonly reconnects: number;
      readonly last: number;
    };

export type LoadAnswer =
  | { readonly kind: 'open' }
  | { readonly kind: 'done'; readonly times: readonly number[]; readonly faults: number };

process.on('message', (load: Load) => {
  void (load.kind === 'calls' ? calls(load) : follow(load)).then((answer) => process.send?.(answer));
});

async function calls(load: Extract<Load, { kind: 'calls' }>): Promise<LoadAnswer> {
  const times: number[] = [];
  let faults = 0;
  const until = performance.now() + load.ms;
  const client = async (): Promise<void> => {
    const socket = connect({ port: load.port, host: '127.0.0.1', noDelay: true });
    while (performance.now() < until) {
      const began = performance.now();
      const status = await exchange(socket, load.head.replace('{key}', crypto.randomUUID()), load.body);
      times.push(performance.now() - began);
      if (status !== 200) faults++;
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: load.clients }, client));
  return { kind: 'done', times, faults };
}

/** The status of an answer whose body has a length. */
function exchange(socket: Socket, head: string, body = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    let came: Buffer = Buffer.alloc(0);
    const take = (part: Buffer): void => {
      came = came.length === 0 ? part : Buffer.concat([came, part]);
      const end = came.indexOf('\r\n\r\n');
      if (end === -1) return;
      const text = came.toString('latin1', 0, end);
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (came.length < end + 4 + length) return;
      socket.off('data', take).off('error', reject);
      resolve(Number(text.slice(9, 12)));
    };
    socket.on('data', take).on('error', reject);
    socket.write(head + body);
  });
}

async function follow(load: Extract<Load, { kind: 'follow' }>): Promise<LoadAnswer> {
  let faults = 0;
  let left = load.reconnects;
  let waiting = load.tokens.length;
  const times: number[] = [];
  const one = async (token: string): Promise<void> => {
    let seq = -1;
    let isFirst = true;
    for (let isEnd = false; !isEnd; ) {
      const cut = left > 0;
      if (cut) left--;
      isEnd = await new Promise<boolean>((resolve) => {
        const socket = connect({ port: load.port, host: '127.0.0.1' });
        const last = seq < 0 ? '' : `Last-Event-ID: ${seq}\r\n`;
        socket.write(
          `GET ${load.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n${last}\r\n`,
        );
        let text = '';
        socket.setEncoding('utf8').on('data', (part: string) => {
          if (isFirst && --waiting === 0) process.send?.({ kind: 'open' } satisfies LoadAnswer);
          isFirst = false;
          // Who was refused is not there.
          if (text === '' && part.startsWith('HTTP/') && !part.startsWith('HTTP/1.1 200')) faults++;
          text += part;
          for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
            const id = /(?:^|\n)id: (\d+)/.exec(text.slice(0, end))?.[1];
            const at = /"at":(\d+)/.exec(text.slice(0, end))?.[1];
            text = text.slice(end + 2);
            if (id === undefined) continue;
            // A gap, or the same one again.
            if (Number(id) !== seq + 1) faults++;
            seq = Number(id);
            if (at !== undefined) times.push(Date.now() - Number(at));
            if (seq === load.last || (cut && seq % 10 === 9)) {
              socket.destroy();
              break;
            }
          }
        });
        socket.on('error', () => {}).on('close', () => resolve(seq === load.last));
      });
    }
  };
  await Promise.all(load.tokens.map(one));
  return { kind: 'done', times, faults };
}
