/*
 * Text that agents, repositories and tools produced is hostile: a title can hold an escape sequence
 * that rewrites the screen, a file name a bidirectional override that shows another name, a patch an
 * escape that hides the rest of its line. Everything foreign passes through here before a person sees
 * it. What is invisible or commands a terminal is shown as `\x1b` or `\u{202e}`, and nothing that can be
 * read is lost: who reviews a patch sees all of it. Only a log may lose whole escape sequences.
 */

import { PAINTED } from './color.ts';

/* oxlint-disable no-control-regex -- finding controls is what this file is for */

const PLAIN = /^[\t\n -~]*$/;
const PLAIN_LINE = /^[\t -~]*$/;

// Scripts whose letters are joined and parted by zero-width characters in ordinary writing.
const JOINING = String.raw`[\p{sc=Arab}\p{sc=Syrc}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}\p{sc=Mymr}]`;
const HIDDEN = String.raw`[\p{Cf}\p{DI}]`;
// Invisible characters of ordinary writing, each only between what it belongs to: parts of an emoji, forms of a sign, letters.
const WRITING = [
  String.raw`(?<=\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier})\u200D(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]|(?<=[0-9#*])\uFE0F(?=\u20E3)`,
  String.raw`(?<=\p{sc=Han})[\uFE00-\uFE02\u{E0100}-\u{E01EF}]`,
  `(?<=${JOINING})(?<!${HIDDEN})[\\u200C\\u200D](?=${JOINING})(?!${HIDDEN})`,
];
const INVISIBLE = String.raw`(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]`;
// Made when first needed: plain text, which is nearly all of it, needs none of it.
let unseen: RegExp | undefined;

/** Foreign text that may span lines: line feeds and tabs stay, every other invisible character is shown. */
export function foreignBlock(text: string): string {
  if (PLAIN.test(text)) return text;
  unseen ??= new RegExp(`(${WRITING.join('|')})|${INVISIBLE}`, 'gu');
  return text
    .toWellFormed()
    .replaceAll(unseen, (found: string, writing: string | undefined) => writing ?? shown(found));
}

/** Foreign text as one line: line breaks and tabs become single blanks. */
export function foreignLine(text: string): string {
  return foreignBlock(text.replaceAll(/(?:\r?\n|\t)+/g, ' ')).trim();
}

/**
 * A line that is about to be shown, whatever it is made of. Only a painter's colours pass, and those only where they are on; line breaks in
 * it begin no line of their own.
 */
export function shownLine(line: string, isPainted: boolean): string {
  if (PLAIN_LINE.test(line)) return line;
  return line
    .split(PAINTED)
    .map((part, index) =>
      index % 2 === 0 ? foreignBlock(part.replaceAll(/(?:\r?\n)+/g, ' ')) : isPainted ? part : '',
    )
    .join('');
}

/** The name of a file: two names that differ are shown differently, so line breaks and tabs are shown too. */
export function foreignName(name: string): string {
  return foreignBlock(name).replaceAll(/[\n\t]/g, shown);
}

// Whole sequences only: a string that does not end on its line is no sequence, and what it would swallow stays.
const STRINGS =
  /(?:\u001B[\]PX^_]|[\u009D\u0090\u0098\u009E\u009F])[^\u0000-\u001F\u007F-\u009F]*(?:\u0007|\u001B\\|\u009C)/gu;
const CSI = /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]/gu;
const CHARACTER_SETS = /\u001B(?:[()*+][0-9A-Za-z]|[78=>])/gu;

/** What an agent or a tool printed: colours and other whole escape sequences go, a carriage return begins a line. */
export function foreignLog(text: string): string {
  if (PLAIN.test(text)) return text;
  const plain = text.replaceAll(STRINGS, '').replaceAll(CSI, '').replaceAll(CHARACTER_SETS, '');
  return foreignBlock(plain.replaceAll(/\r+\n?/g, '\n'));
}

/** A value as JSON of one line that is safe on a terminal: the same document, its invisible characters escaped. */
export function foreignJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[\u007F-\u{10FFFF}]/gu, (found) =>
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/u.test(found)
      ? Array.from({ length: found.length }, (_, unit) => `\\u${hex(found.charCodeAt(unit), 4)}`).join('')
      : found,
  );
}

function shown(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  return code < 0x1_00 ? `\\x${hex(code, 2)}` : `\\u{${hex(code, 4)}}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
