// Takes more than its share of one thing. Prints one line of JSON, as main.mjs does, if it lives to tell.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';

const MiB = 2 ** 20;
const kinds = {
  async processes() {
    const started = [];
    try {
      while (started.length < 200) {
        const child = spawn('sleep', ['60'], { stdio: 'ignore' });
        started.push(child);
        await Promise.race([
          once(child, 'spawn'),
          once(child, 'error').then(([error]) => Promise.reject(error)),
        ]);
      }
      return started.length;
    } finally {
      for (const child of started) child.kill('SIGKILL');
    }
  },
  memory() {
    const held = [];
    while (held.length < 40) held.push(Buffer.alloc(16 * MiB, held.length + 1));
    return held.length;
  },
  file() {
    const file = openSync('big', 'w');
    try {
      return writeSync(file, 'x', 5 * 1024 * MiB);
    } finally {
      closeSync(file);
      rmSync('big');
    }
  },
  output() {
    const line = `${'o'.repeat(1023)}\n`;
    for (let i = 0; i < 3 * 1024; i++) process.stdout.write(line);
    return 'all of it';
  },
  disk() {
    const block = Buffer.alloc(4 * MiB, 1);
    for (let i = 0; i < 60; i++) {
      writeFileSync(`filled-${i}`, block);
      pause(50);
    }
    return 'all of it';
  },
  files() {
    for (let i = 0; i < 6_000; i++) {
      writeFileSync(`made-${i}`, '');
      if (i % 100 === 0) pause(50);
    }
    return 'all of them';
  },
  time() {
    const [before, start] = [process.cpuUsage(), performance.now()];
    while (performance.now() - start < 3_000);
    const { user, system } = process.cpuUsage(before);
    const share = (user + system) / 1_000 / (performance.now() - start);
    if (share < 0.08) throw new Error('given little');
    return share;
  },
};

/** As long as it takes somebody else to look. */
function pause(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const kind = process.argv[2];
let line;
try {
  line = { attack: kind, outcome: 'succeeded', detail: String(await kinds[kind]()) };
} catch (error) {
  line = { attack: kind, outcome: 'refused', detail: error.code ?? error.message };
}
process.stdout.write(`${JSON.stringify(line)}\n`);
