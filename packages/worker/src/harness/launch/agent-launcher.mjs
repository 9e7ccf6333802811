/*
 * Runs inside the sandbox, in front of an agent's program: writes the program's settings, opens a door on
 * the loopback to the relay's socket, starts the program and ends as it ends. It is plain JavaScript and
 * imports nothing of ours, because it is all of the product that a sandbox sees.
 *
 * Standard input is one line of JSON, the `Launch` of launch-agent.ts, and then what the program is to read.
 * So neither settings nor prompt are in a command line. In command line, files and environment RELAY_ORIGIN stands for the
 * door, whose port is not known before it is open.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';
import { basename, dirname } from 'node:path';

const RELAY_ORIGIN = 'http://model-relay.invalid';
/** As a shell says that a program could not be started. */
const NOT_STARTED = 127;

/** @type {Buffer[]} */
const pieces = [];
for await (const piece of process.stdin) pieces.push(piece);
const input = Buffer.concat(pieces);
const end = input.indexOf('\n');
const launch = JSON.parse(input.toString('utf8', 0, end));
const cwd = process.cwd();

const origin = launch.socket === null ? RELAY_ORIGIN : `http://127.0.0.1:${await openDoor(launch.socket)}`;
const withOrigin = (text) => text.replaceAll(RELAY_ORIGIN, origin);

for (const { path, text, isDefault } of launch.files) {
  if (isDefault === true && existsSync(path)) continue;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // What lies there may be a link to somewhere else.
  rmSync(path, { force: true });
  writeFileSync(path, withOrigin(text), { mode: 0o600, flag: 'wx' });
}

const [program, ...args] = launch.program.map(withOrigin);
const child = spawn(program, args, {
  cwd,
  env: Object.fromEntries(
    Object.entries(process.env).map(([name, value]) => [name, withOrigin(value ?? '')]),
  ),
  stdio: ['pipe', 'inherit', 'inherit'],
});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  process.stderr.write(`the agent's program could not be started: ${error.code}\n`);
  process.exit(NOT_STARTED);
});
// A program need not read its input to the end.
child.stdin.on('error', () => {});
child.stdin.end(input.subarray(end + 1));
const [code, signal] = await once(child, 'exit');
if (signal === null) process.exit(code);
process.removeAllListeners(signal);
process.kill(process.pid, signal);
// A signal that does not end this process still has to be told.
setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 0)), 1_000);

/**
 * Listens on the loopback and joins every connection to the socket. Its path may be longer than an
 * address can be, so it is reached from its directory.
 *
 * @param {string} socket
 * @returns {Promise<number>} the port
 */
async function openDoor(socket) {
  process.chdir(dirname(socket));
  const door = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ path: basename(socket), allowHalfOpen: true });
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.pipe(far);
    far.pipe(near);
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  return door.address().port;
}
