#!/usr/bin/env node
// This file must parse on any Node that knows ES modules: launch.mjs decides which Node runs the product.
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { launch } from './launch.mjs';

// The compile cache lives in the user's own directory, never in a shared temporary one: whoever can
// write it can run code as the user.
function cacheDirectory() {
  // One that is not absolute would lie in the directory the command happens to be typed in.
  const bases = [process.env.XDG_CACHE_HOME, join(homedir(), '.cache')];
  const base = bases.find((path) => path && isAbsolute(path));
  return base ? join(base, 'palisade', 'compile') : undefined;
}

await launch(import.meta.url, async () => {
  const cache = cacheDirectory();
  if (cache !== undefined) nodeModule.enableCompileCache(cache);
  const { main } = await import('../src/main.ts');
  await main(process.argv.slice(2));
});
