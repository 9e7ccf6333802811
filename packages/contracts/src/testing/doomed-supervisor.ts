import type { SandboxProvider, SandboxSpec } from '../sandbox.ts';

/*
 * A supervisor that is going to be killed: it starts a script in a sandbox, says so, and waits.
 * Arguments: module, export, the sandbox spec as JSON, the script.
 */
const [module = '', name = '', spec = '', script = ''] = process.argv.slice(2);
const exports = (await import(module)) as Record<string, (() => SandboxProvider) | undefined>;
const provider = exports[name]?.();
if (provider === undefined) throw new Error(`${module} has no export ${name}`);
const sandbox = await provider.allocate(JSON.parse(spec) as SandboxSpec);
await sandbox.exec({
  argv: ['/bin/sh', '-c', script],
  env: { PATH: '/usr/bin:/bin' },
  timeoutMs: 600_000,
  graceMs: 0,
  onOutput: (_stream, bytes) => process.stdout.write(bytes),
});
