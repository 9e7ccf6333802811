import { redactCredentials, truncateText } from '@palisade/contracts';
import type { MessageRole } from '../events.ts';

/*
 * The one way text gets into the database (L-13, L-17, L-19): what looks like a credential is replaced, what is too
 * long is cut on code points. Replaced first, so that no half of a credential stays at a cut.
 */

/** Longest texts, in UTF-16 units. */
export const LIMITS = {
  title: 240,
  said: 50_000,
  tool: 20_000,
  command: 500,
  error: 500,
  path: 4096,
  word: 200,
  /** Of a session; what it says beyond that is kept as beginnings. */
  session: 8_000_000,
  beginning: 200,
} as const;

/** Entries of each list of a session. */
export const MAX_ENTRIES = { commands: 300, errors: 50, tools: 200, files: 2000 } as const;

/** How much more is looked through for credentials than is kept. */
const MARGIN = 4096;

/** Redacted, well-formed and of at most `max` units; of a text that is only the beginning of one, `omitted` units follow. */
export function keptText(text: string, max: number, omitted = 0): string {
  if (omitted === 0 && text.length <= max + MARGIN) return truncateText(redactCredentials(text), max);
  // A credential that the end of this slice cuts is not known as one; the end is given up.
  const looked = redactCredentials(text.slice(0, max + MARGIN)).slice(0, -MARGIN / 2);
  const mark = ` [${text.length + omitted - Math.min(max, looked.length)} characters cut]`;
  return truncateText(`${wholeHead(looked, Math.max(0, max - mark.length))}${mark}`, max);
}

/** At most `length` units from the start, without half a character at the end. */
function wholeHead(text: string, length: number): string {
  const code = text.charCodeAt(length);
  return text.slice(0, code >= 0xdc00 && code <= 0xdfff ? length - 1 : length);
}

/** The most that is kept of a message: of what tools say both ends, because errors are at the end. */
export function keptMessage(role: MessageRole, text: string, hasRoom: boolean): string {
  if (!hasRoom) return keptText(text, LIMITS.beginning);
  if (role !== 'tool_result' && role !== 'tool_call') return keptText(text, LIMITS.said);
  if (text.length <= LIMITS.tool) return keptText(text, LIMITS.tool);
  const half = LIMITS.tool / 2;
  // The beginning of the end may be within a credential, as above.
  const end = redactCredentials(text.slice(-half - MARGIN))
    .slice(MARGIN / 2)
    .slice(-half);
  return truncateText(`${keptText(text, half)}\n${end}`, LIMITS.tool + MARGIN);
}

/** One line of at most `max` units. */
export function keptLine(text: string, max: number): string {
  return keptText(
    text
      .slice(0, max * 8)
      .replaceAll(/\s+/g, ' ')
      .trim(),
    max,
  );
}
