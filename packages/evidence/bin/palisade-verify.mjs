#!/usr/bin/env node
// Parses on any Node that knows ES modules, so that a Node that is too old is told plainly.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 18)) {
  // A reader that closes early ends the program quietly; what it did not read is no verdict.
  process.stdout.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(1);
  });
  const { verifyCommand } = await import('../src/verify-command.ts');
  process.exitCode = await verifyCommand(process.argv.slice(2), process.stdout, process.stderr);
} else {
  process.stderr.write(
    'palisade-verify needs Node 22.18 or later, this is ' +
      process.versions.node +
      ' (unsupported_runtime)\n' +
      '  next  install Node 24, or name a newer one: /path/to/node ' +
      process.argv[1] +
      '\n',
  );
  process.exitCode = 3;
}
