import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A Node that is too old to run the product, if this machine has one. */
export const oldNode = ['/usr/local/bin/node', '/usr/bin/node', '/opt/node20/bin/node'].find((path) => {
  if (!existsSync(path)) return false;
  const [major = 0, minor = 0] = execFileSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' })
    .split('.')
    .map(Number);
  return major < 22 || (major === 22 && minor < 18);
});
