import dgram from 'node:dgram';
import dns from 'node:dns';
import { readFileSync } from 'node:fs';
import net from 'node:net';

/**
 * Verifies one vector in a process where every way to the network ends it with exit code 99:
 * `node verify-offline.ts <bundle> <trust root>`. Prints the report; exit 1 when not intact.
 */
const trap = (what: string) => () => {
  process.stderr.write(`network used: ${what}\n`);
  process.exit(99);
};
net.Socket.prototype.connect = trap('connect');
net.Server.prototype.listen = trap('listen') as never;
dgram.createSocket = trap('dgram');
dns.lookup = trap('lookup') as never;
dns.promises.lookup = trap('lookup');
globalThis.fetch = trap('fetch');
globalThis.WebSocket = trap('WebSocket') as never;

const { parseTrustRoot, renderReport, verifyBundleBytes } = await import('../src/index.ts');
const [bundle = '', root = ''] = process.argv.slice(2);
if (bundle === 'connect') net.connect(1, '127.0.0.1');
const report = verifyBundleBytes(readFileSync(bundle), parseTrustRoot(readFileSync(root)));
process.stdout.write(renderReport(report));
process.exitCode = report.intact ? 0 : 1;
