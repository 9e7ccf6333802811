import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { connect } from 'node:net';
import { assertSecrets } from './loot.mjs';

/** Whoever listens on the machine, by every road. Only an answer counts. */
export function networkAttacks(targets) {
  const { tcp, unix, udp, dns, postgres } = targets.network;
  const reach = (name, address) => [
    name,
    () => talk(address, 'hello\n').then((bytes) => assertSecrets(bytes, targets)),
  ];
  return Object.fromEntries([
    ...Object.entries(tcp).map(([name, { host, port }]) => reach(`tcp: ${name}`, { host, port })),
    ...Object.entries(unix).map(([name, path]) => reach(`unix: ${name}`, { path })),
    ['udp', () => datagram(udp).then((bytes) => assertSecrets(bytes, targets))],
    ['dns', () => resolve(dns)],
    ...(postgres === undefined
      ? []
      : [
          [
            'read: the database over its port',
            () => ask(postgres).then((bytes) => assertSecrets(bytes, targets)),
          ],
        ]),
  ]);
}

/** Sends something, and gives what comes back until the other side ends or falls silent. */
function talk(address, ...pieces) {
  return new Promise((resolve, reject) => {
    const received = [];
    const socket = connect(address);
    socket.setTimeout(1_500, () => socket.destroy());
    socket.on('connect', () => {
      for (const piece of pieces) socket.write(piece);
    });
    socket.on('data', (bytes) => received.push(bytes));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(received)));
  });
}

function datagram({ host, port }) {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    const timer = setTimeout(() => reject(new Error('no answer')), 1_500);
    socket.on('error', reject);
    socket.on('message', (bytes) => {
      clearTimeout(timer);
      socket.close();
      resolve(bytes);
    });
    socket.send('hello', port, host, (error) => {
      if (error) reject(error);
    });
  });
}

async function resolve({ host, port, name, address }) {
  const resolver = new Resolver({ timeout: 1_000, tries: 1 });
  resolver.setServers([`${host}:${port}`]);
  const found = await resolver.resolve4(name);
  if (!found.includes(address)) throw new Error('another answer');
  return name;
}

/** A query in PostgreSQL's own words, as its simplest client would say it. */
function ask({ host, port, user, database, query }) {
  const words = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
  const start = Buffer.alloc(8);
  start.writeInt32BE(words.length + 8, 0);
  start.writeInt32BE(196_608, 4);
  const text = Buffer.from(`${query}\0`);
  const head = Buffer.alloc(5, 'Q');
  head.writeInt32BE(text.length + 4, 1);
  return talk({ host, port }, Buffer.concat([start, words]), Buffer.concat([head, text]));
}
