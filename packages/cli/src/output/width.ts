const PLAIN = /^[ -~]*$/;
const ZERO = /^[\p{Mark}\p{Cf}\p{Cc}]+$/u;
const EMOJI = /\p{Emoji_Presentation}|\uFE0F/u;
// East Asian Wide and Fullwidth blocks (UAX #11), the ranges a terminal draws two columns wide.
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F200}-\u{1F2FF}\u{20000}-\u{3FFFD}]/u;

// Made when first needed: it costs more than the rest of a short command's output.
let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Columns a terminal uses for `text`, which holds no controls. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(text)) width += graphemeWidth(segment);
  return width;
}

/** `text` cut to at most `columns`, ending in an ellipsis when something was lost. */
export function truncate(text: string, columns: number, ellipsis = '…'): string {
  if (displayWidth(text) <= columns) return text;
  const room = columns - ellipsis.length;
  if (room <= 0) return columns > 0 ? ellipsis.slice(0, columns) : '';
  let out = '';
  let width = 0;
  for (const { segment } of graphemes(text)) {
    width += graphemeWidth(segment);
    if (width > room) break;
    out += segment;
  }
  return out.trimEnd() + ellipsis;
}

/** `text` padded with blanks to `columns`. */
export function pad(text: string, columns: number): string {
  const missing = columns - displayWidth(text);
  return missing > 0 ? text + ' '.repeat(missing) : text;
}

function graphemeWidth(segment: string): number {
  if (ZERO.test(segment)) return 0;
  return EMOJI.test(segment) || WIDE.test(segment) ? 2 : 1;
}
