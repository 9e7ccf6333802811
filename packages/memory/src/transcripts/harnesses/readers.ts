import type { Fields, Harness, HarnessReader } from '../events.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { geminiCli } from './gemini-cli.ts';
import { opencode } from './opencode.ts';

/** In the order they are asked; the most particular first. */
const READERS: readonly HarnessReader[] = [geminiCli, opencode, codex, copilot, claudeCode];

/** Whose record it is, by what is in it and not by where it was found (L-22). */
export function readerFor(record: Fields): HarnessReader | undefined {
  return READERS.find((reader) => reader.claims(record));
}

export function readerOf(harness: Harness): HarnessReader {
  const reader = READERS.find((each) => each.harness === harness);
  if (reader === undefined) throw new Error(`no reader for ${harness}`);
  return reader;
}
