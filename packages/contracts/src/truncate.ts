/** Which part of a text that is too long is worth keeping. */
export type TruncateKeep = 'head' | 'tail';

/**
 * The one way text is shortened (FF-071, FF-073): cuts fall on code points, what is missing is
 * said in the text itself, and what no store of text can hold is replaced: lone surrogates and U+0000.
 *
 * @param text any string
 * @param maxChars longest result in UTF-16 units, the mark included
 * @param keep the part to keep; the end of a log usually says more than its start
 * @returns a well-formed string without U+0000 of at most `maxChars` units; such a `text` itself when it fits
 */
export function truncateText(text: string, maxChars: number, keep: TruncateKeep = 'head'): string {
  const whole = text.toWellFormed().replaceAll('\0', '\uFFFD');
  if (whole.length <= maxChars) return whole;
  const room = (dropped: number): string => `[${dropped} characters cut]`;
  // The mark's own length depends on the number in it, which is never larger than the whole.
  const kept = maxChars - room(whole.length).length - 1;
  if (kept <= 0) return cutHead(whole, Math.max(0, maxChars));
  if (keep === 'head') {
    const head = cutHead(whole, kept);
    return `${head} ${room(whole.length - head.length)}`;
  }
  const tail = cutTail(whole, kept);
  return `${room(whole.length - tail.length)} ${tail}`;
}

/**
 * The same for texts that end in JSON, whose escapes make them longer.
 *
 * @param maxBytes longest `JSON.stringify` of the result, in bytes of UTF-8, quotes included
 */
export function truncateToJson(text: string, maxBytes: number, keep: TruncateKeep = 'head'): string {
  if (text.length <= maxBytes && jsonBytes(text) <= maxBytes) return text;
  // A character is at least one byte: the longest that can fit is known, the rest is found by halves.
  let best = '';
  let low = 0;
  let high = Math.max(0, maxBytes);
  while (low <= high) {
    const middle = (low + high) >> 1;
    const cut = truncateText(text, middle, keep);
    if (jsonBytes(cut) <= maxBytes) {
      best = cut;
      low = middle + 1;
    } else high = middle - 1;
  }
  return best;
}

/** Bytes of a text as JSON, quotes included. */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

function cutHead(text: string, length: number): string {
  return text.slice(0, isInsidePair(text, length) ? length - 1 : length);
}

function cutTail(text: string, length: number): string {
  const start = text.length - length;
  return text.slice(isInsidePair(text, start) ? start + 1 : start);
}

function isInsidePair(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff;
}
