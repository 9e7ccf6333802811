import { lstatSync, mkdirSync, opendirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ATTEMPT_FILES,
  type BundleFile,
  contentHash,
  encodeBundle,
  type Harness,
  limits,
  PalisadeError,
  toPalisadeError,
} from '@palisade/contracts';
import { readFileSafely } from '../overlay/safe-file.ts';
import type { RunningAttempt } from './context.ts';
import type { Ending } from './ending.ts';

/** Name of the bundle that holds a session's files. */
export const SESSION_BUNDLE = 'session';
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 8;
const FILE = 'session';

/** It becomes a word of a command line and part of a path, and the agent chose it. */
export function isSessionId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{7,127}$/.test(id);
}

/**
 * Keeps the vendor's session of an attempt that did not end well, where the agent's settings let a retry go
 * on with it. Everything in it is the agent's: it is read like any product, and withheld when it holds a
 * secret. Whatever keeps it from being kept is a warning. Called when no program runs any more.
 *
 * An agent that failed while it went on with a session leaves none, so that the next attempt begins anew: a
 * session may be beyond use, and trying it again would fail for ever (FF-073).
 */
export async function keepSession(attempt: RunningAttempt, ending: Ending): Promise<void> {
  const { report, spec, harness } = attempt;
  const { run } = spec.agent;
  const session = report.product.agent_session;
  const wanted = 'resume' in run && run.resume === true && ending.outcome !== 'succeeded';
  if (!wanted || session === undefined || harness.sessions === undefined) return;
  if (attempt.resumption !== null && report.hasFailedAgent) return;
  try {
    const bytes = sessionBundle(attempt.handle.directory, harness, session.id);
    const leak = attempt.scanner.find(bytes);
    if (leak !== null)
      throw new PalisadeError('credential_in_text', `it holds the value of the secret ${leak.secret}`);
    const products = join(attempt.attemptDir, ATTEMPT_FILES.products);
    mkdirSync(products, { recursive: true, mode: 0o755 });
    writeFileSync(join(products, FILE), bytes);
    const ref = contentHash(bytes);
    report.file({ file: FILE, ref, size: bytes.byteLength });
    report.facts({ agent_session: { ...session, state_ref: ref } });
  } catch (error) {
    report.warn(`the agent's session is not kept: ${toPalisadeError(error).message}`);
  }
}

function sessionBundle(root: string, harness: Harness, id: string): Buffer {
  const { configDirectory = '', sessions } = harness;
  if (sessions === undefined || !isSessionId(id))
    throw new PalisadeError('invalid_input', 'its agent gave it no usable name');
  const home = `.palisade/home/${configDirectory}/${sessions.directory}`;
  const files: BundleFile[] = [];
  let room: number = limits.sessionBytes;
  for (const path of filesBelow(root, home)) {
    if (!sessions.isPart(path, id)) continue;
    const found = readFileSafely(root, `${home}/${path}`, room);
    if (found === null) continue;
    if (found.isCut) throw new PalisadeError('too_large', `it has more than ${limits.sessionBytes} bytes`);
    room -= found.bytes.byteLength;
    files.push({ path, bytes: wholeLines(found.bytes), executable: false });
  }
  if (files.length === 0) throw new PalisadeError('not_found', 'its files are not where they should be');
  return encodeBundle(SESSION_BUNDLE, files);
}

/** Paths of the regular files below a directory, links not followed. */
function* filesBelow(root: string, home: string): Iterable<string> {
  let left = MAX_ENTRIES;
  const stack = [''];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const directory = join(root, home, at);
    if (lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    using open = opendirSync(directory);
    for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
      if (left-- === 0) throw new PalisadeError('too_large', `it is among more than ${MAX_ENTRIES} files`);
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.isFile()) yield path;
      else if (entry.isDirectory() && path.split('/').length < MAX_DEPTH) stack.push(path);
    }
  }
}

/** A program that was killed may have left half a line. */
function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
}
