// Process 1 of a sandbox. It is plain JavaScript because it must start as fast as it can.
//
// Descriptor 3: from the supervisor, a line with the job as JSON, later perhaps a line "terminate".
//               Its end means that the supervisor is gone or wants an end: this process exits, and the
//               kernel ends every process of the namespace, whatever session it moved to.
// Descriptor 4: to the supervisor, one line with the report as JSON.
//
// The job comes through a pipe and not as arguments or environment: those of process 1 can be read
// by other users of the machine, and its environment would change how this very program runs.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';

let program;
let buffered = '';
new Socket({ fd: 3, readable: true, writable: false })
  .setEncoding('utf8')
  .on('error', () => process.exit(0))
  .on('data', (text) => {
    buffered += text;
    for (let end = buffered.indexOf('\n'); end >= 0; end = buffered.indexOf('\n')) {
      const line = buffered.slice(0, end);
      buffered = buffered.slice(end + 1);
      if (program === undefined) start(JSON.parse(line));
      else if (line === 'terminate') terminate();
    }
  })
  .on('close', () => process.exit(0));

function start(job) {
  try {
    for (const path of job.readOnlyPaths) showReadOnly(path);
  } catch {
    report({ errno: 'EPERM' });
    return;
  }
  try {
    program = spawn(job.argv[0], job.argv.slice(1), {
      cwd: job.cwd,
      // Node would otherwise add this variable to every environment.
      env: { NODE_V8_COVERAGE: undefined, ...job.env },
      stdio: ['inherit', 'inherit', 'inherit'],
      detached: true,
    });
  } catch (error) {
    report({ errno: error.code === 'ERR_INVALID_ARG_VALUE' ? 'EINVAL' : error.code });
    return;
  }
  program.once('error', (error) => report({ errno: error.code }));
  program.once('exit', (code, signal) => report({ code, signal }));
}

function terminate() {
  if (program?.pid === undefined) return;
  try {
    process.kill(-program.pid, 'SIGTERM');
  } catch {
    // The group is gone already.
  }
}

/** Says how it ended, and ends: what the program left behind ends with this process. */
function report(facts) {
  writeSync(4, `${JSON.stringify(facts)}\n`);
  process.exit(0);
}

/** A user namespace may not drop flags of the mount below, so they are repeated. */
function showReadOnly(path) {
  execFileSync('mount', ['--bind', path, path], { stdio: 'ignore' });
  const flags = mountFlags(path).filter((flag) => flag !== 'rw' && flag !== 'ro');
  execFileSync('mount', ['-o', ['remount', 'bind', 'ro', ...flags].join(','), path], { stdio: 'ignore' });
}

/** Options of the last mount at a path, from mountinfo, which writes blanks and such as octal. */
function mountFlags(path) {
  const wanted = path.replace(
    /[ \t\n\\]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  const line = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .findLast((entry) => entry.split(' ')[4] === wanted);
  return line?.split(' ')[5]?.split(',') ?? [];
}
