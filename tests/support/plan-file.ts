import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes a plan below `.palisade/`, where it is no part of the repository; gives its path as an argument. */
export function planFile(root: string, plan: unknown, name = 'plan.json'): string {
  mkdirSync(join(root, '.palisade'), { recursive: true });
  const text = typeof plan === 'string' || plan instanceof Uint8Array ? plan : JSON.stringify(plan);
  writeFileSync(join(root, '.palisade', name), text);
  return `.palisade/${name}`;
}
