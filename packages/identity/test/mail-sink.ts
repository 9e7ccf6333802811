import { SMTPServer } from 'smtp-server';
import { onTestFinished } from 'vitest';

/** A message as a relay received it: to whom, and its parts, decoded. */
export interface Received {
  readonly to: string[];
  readonly contentType: string;
  readonly parts: string[];
}

/** A relay on this machine that keeps what it is handed; it refuses messages while `refuses`. */
export async function mailSink() {
  const received: Received[] = [];
  const state = { refuses: false };
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (state.refuses) {
          callback(new Error('not now'));
          return;
        }
        const to = session.envelope.rcptTo.map(({ address }) => address);
        received.push({ to, ...read(Buffer.concat(chunks).toString()) });
        callback();
      });
    },
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)));
  const address = server.server.address();
  return { received, state, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

function read(message: string): Omit<Received, 'to'> {
  const contentType = /^Content-Type: (\S+);/im.exec(message)?.[1] ?? '';
  const boundary = /boundary="([^"]+)"/.exec(message)?.[1] ?? '';
  const parts = message.split(`--${boundary}`).slice(1, -1).map(decoded);
  return { contentType, parts };
}

function decoded(part: string): string {
  const at = part.indexOf('\r\n\r\n');
  const [head, body] = [part.slice(0, at), part.slice(at + 4)];
  if (/quoted-printable/i.test(head))
    return body
      .replaceAll(/=\r\n/g, '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return /format=flowed/i.test(head) ? body.replaceAll(' \r\n', ' ') : body;
}
