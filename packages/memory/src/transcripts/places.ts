import { readdirSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { type Env, homeOf } from '../store/user-data.ts';

/** Names of the files that may be transcripts. */
const TRANSCRIPT = /\.jsonl?$/;
/** Folders of a harness's home that hold other things, some of them large. */
const OTHER: ReadonlySet<string> = new Set(['node_modules', '.git']);

/** Where the harnesses keep their histories on this machine, whether they are there or not. */
export function harnessFolders(env: Env): readonly string[] {
  const home = homeOf(env);
  const at = (named: string | undefined, ...usual: readonly string[]): string | undefined =>
    named !== undefined && isAbsolute(named) ? named : home === undefined ? undefined : join(home, ...usual);
  const claude = at(env['CLAUDE_CONFIG_DIR'], '.claude');
  const codex = codexHome(env);
  const gemini = at(undefined, '.gemini');
  const copilot = at(env['COPILOT_HOME'], '.copilot');
  return [
    ...(claude === undefined ? [] : [join(claude, 'projects')]),
    ...(codex === undefined ? [] : [join(codex, 'sessions'), join(codex, 'archived_sessions')]),
    ...(gemini === undefined ? [] : [join(gemini, 'tmp')]),
    ...(copilot === undefined ? [] : [join(copilot, 'session-state')]),
  ];
}

export function codexHome(env: Env): string | undefined {
  const named = env['CODEX_HOME'];
  if (named !== undefined && isAbsolute(named)) return named;
  const home = homeOf(env);
  return home === undefined ? undefined : join(home, '.codex');
}

/** Every file below a folder that may be a transcript; links are not followed. Undefined when it cannot be read. */
export function transcriptFiles(folder: string): readonly string[] | undefined {
  if (statSync(folder, { throwIfNoEntry: false })?.isFile() === true) return [folder];
  const files: string[] = [];
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
    try {
      for (const entry of readdirSync(at, { withFileTypes: true })) {
        const path = join(at, entry.name);
        if (entry.isDirectory() && !OTHER.has(entry.name)) waiting.push(path);
        else if (entry.isFile() && TRANSCRIPT.test(entry.name)) files.push(path);
      }
    } catch {
      // Of a folder that may not be read nothing is known, so nothing in the root counts as gone.
      return undefined;
    }
  return files.toSorted();
}
