#!/usr/bin/env node
// Parses on any Node that knows ES modules, so that a Node that is too old is told plainly.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 18)) {
  const { witnessCommand } = await import('../src/witness/witness-command.ts');
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop.abort());
  process.exitCode = await witnessCommand(process.argv.slice(2), {
    out: process.stdout,
    err: process.stderr,
    stop: stop.signal,
  });
} else {
  process.stderr.write(
    'palisade-witness needs Node 22.18 or later, this is ' +
      process.versions.node +
      ' (unsupported_runtime)\n' +
      '  next  install Node 24, or name a newer one: /path/to/node ' +
      process.argv[1] +
      '\n',
  );
  process.exitCode = 3;
}
