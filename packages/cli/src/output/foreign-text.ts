/*
 * Text that agents, repositories and tools produced is hostile: a title can hold an escape sequence
 * that rewrites the screen, a file name a bidirectional override that shows another name. Everything
 * foreign passes through here before a person sees it. JSON output does not: its escaping is enough.
 */

/* oxlint-disable no-control-regex -- finding controls is what this file is for */

// ESC-introduced strings (OSC, DCS, SOS, PM, APC) up to their terminator, then CSI, then other escapes.
const STRINGS =
  /(?:\u001B[\]PX^_]|[\u009D\u0090\u0098\u009E\u009F])[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)?/gu;
const CSI = /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?/gu;
const OTHER_ESCAPES = /\u001B[ -/]*[0-~]?/gu;
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/gu;
const BIDI = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
// Invisible characters that can hide content or smuggle instructions (tags, zero-width, variation selectors beyond emoji).
const INVISIBLE = /[\u00AD\u180E\u200B\u2060-\u2064\uFEFF\u{E0000}-\u{E007F}]/gu;

/** Foreign text that may span lines: keeps line feeds and tabs, loses every other control. */
export function foreignBlock(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll(STRINGS, '')
    .replaceAll(CSI, '')
    .replaceAll(OTHER_ESCAPES, '')
    .replaceAll(/[\u2028\u2029]/gu, '\n')
    .replaceAll(CONTROLS, '')
    .replaceAll(BIDI, '')
    .replaceAll(INVISIBLE, '');
}

/** Foreign text as one line: line breaks and tabs become single blanks. */
export function foreignLine(text: string): string {
  return foreignBlock(text)
    .replaceAll(/[\n\t]+/gu, ' ')
    .trim();
}
