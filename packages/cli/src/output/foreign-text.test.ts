import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foreignBlock, foreignJson, foreignLine, foreignLog, foreignName } from './foreign-text.ts';

const ESC = '\u001B';
/** What it is, the text, how a patch or a name shows it, and how a log does. */
const corpus: readonly (readonly [string, string, string, string])[] = [
  ['colour', `${ESC}[31mred${ESC}[0m`, String.raw`\x1b[31mred\x1b[0m`, 'red'],
  ['cursor movement', `a${ESC}[2A${ESC}[2Kb`, String.raw`a\x1b[2A\x1b[2Kb`, 'ab'],
  ['8-bit CSI', 'a\u009B31mb', String.raw`a\x9b31mb`, 'ab'],
  ['window title', `a${ESC}]0;owned\u0007b`, String.raw`a\x1b]0;owned\x07b`, 'ab'],
  [
    'hyperlink',
    `${ESC}]8;;https://evil.example${ESC}\\click`,
    String.raw`\x1b]8;;https://evil.example\x1b\click`,
    'click',
  ],
  ['clipboard', `${ESC}]52;c;cm0gLXJm\u0007x`, String.raw`\x1b]52;c;cm0gLXJm\x07x`, 'x'],
  ['device string', `a${ESC}P1$rstuff${ESC}\\b`, String.raw`a\x1bP1$rstuff\x1b\b`, 'ab'],
  [
    'unterminated string',
    `echo start "${ESC}]"; touch PAYLOAD # `,
    String.raw`echo start "\x1b]"; touch PAYLOAD #`,
    String.raw`echo start "\x1b]"; touch PAYLOAD # `,
  ],
  ['unterminated device string', `a${ESC}Pb`, String.raw`a\x1bPb`, String.raw`a\x1bPb`],
  ['unterminated CSI', `a${ESC}[12;`, String.raw`a\x1b[12;`, String.raw`a\x1b[12;`],
  ['string over lines', `${ESC}]0;a\nb\u0007c`, String.raw`\x1b]0;a b\x07c`, '\\x1b]0;a\nb\\x07c'],
  ['character set', `${ESC}(Ba`, String.raw`\x1b(Ba`, 'a'],
  ['reset', `a${ESC}cb`, String.raw`a\x1bcb`, String.raw`a\x1bcb`],
  ['lone escape at the end', `a${ESC}`, String.raw`a\x1b`, String.raw`a\x1b`],
  ['carriage return', 'good\rEVIL', String.raw`good\x0dEVIL`, 'good\nEVIL'],
  ['backspace', 'ab\u0008\u0008cd', String.raw`ab\x08\x08cd`, String.raw`ab\x08\x08cd`],
  ['bell and null', 'a\u0007\u0000b', String.raw`a\x07\x00b`, String.raw`a\x07\x00b`],
  ['bidirectional override', 'gpj.\u202Eexe', String.raw`gpj.\u{202e}exe`, String.raw`gpj.\u{202e}exe`],
  ['isolates', '\u2066a\u200Fb', String.raw`\u{2066}a\u{200f}b`, String.raw`\u{2066}a\u{200f}b`],
  ['tag characters', 'a\u{E0041}b', String.raw`a\u{e0041}b`, String.raw`a\u{e0041}b`],
  ['zero width', 'p\u200Ba\u200Cs\u200Ds\uFEFF', String.raw`p\u{200b}a\u{200c}s\u{200d}s\u{feff}`, ''],
  ['blank letters', 'a\u3164b\u115Fc', String.raw`a\u{3164}b\u{115f}c`, ''],
  ['hidden selectors', 'a\uFE0Fb❤\uFE0F\uFE0F', String.raw`a\u{fe0f}b❤️\u{fe0f}`, ''],
  ['line separators', 'a\u2028b\u2029c', String.raw`a\u{2028}b\u{2029}c`, ''],
  ['lone surrogate', 'a\uD800b', 'a\uFFFDb', 'a\uFFFDb'],
];

/** Everything but what commands a terminal or cannot be seen. */
const readable = (text: string): string =>
  text.toWellFormed().replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/gu, '');

describe('foreign text', () => {
  for (const [what, hostile, harmless, logged] of corpus) {
    it(`shows its ${what} and loses nothing`, () => {
      expect(foreignLine(hostile)).toBe(harmless);
      expect(foreignLog(hostile)).toBe(logged === '' ? harmless : logged);
    });
  }

  it('keeps what people write: umlauts, CJK, emoji, joined scripts, tabs and lines', () => {
    const text = 'Grüße 日本語 葛\u{E0100} 👩‍💻 👩🏽‍💻 ❤️‍🔥 1️⃣ می\u200Cخواهم a\tb\nc';
    expect(foreignBlock(text)).toBe(text);
    expect(foreignLog(text)).toBe(text);
    expect(foreignLine(text)).toBe('Grüße 日本語 葛\u{E0100} 👩‍💻 👩🏽‍💻 ❤️‍🔥 1️⃣ می\u200Cخواهم a b c');
  });

  it('shows two names that differ differently', () => {
    const names = [
      'package.json',
      `pack${ESC}[0mage.json`,
      'pack\nage.json',
      'pack\tage.json',
      ' package.json',
    ];
    expect(names.map(foreignName)).toEqual([
      'package.json',
      String.raw`pack\x1b[0mage.json`,
      String.raw`pack\x0aage.json`,
      String.raw`pack\x09age.json`,
      ' package.json',
    ]);
  });

  it('never lets a control character through, and never loses what can be read, whatever the text', () => {
    const hostile = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom(ESC, '\u009B', '\u009D', '[', ']', '\u0007', '\u202E', '\u200D', '\uFE0F', '👩', 'ب'),
      ),
    );
    fc.assert(
      fc.property(hostile, (parts) => {
        const text = parts.join('');
        const clean = foreignBlock(text);
        expect(clean).not.toMatch(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/u);
        expect(foreignBlock(clean)).toBe(clean);
        expect(foreignLog(text)).not.toMatch(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/u);
        let at = 0;
        for (const character of readable(text)) {
          at = clean.indexOf(character, at) + 1;
          expect(at).toBeGreaterThan(0);
        }
        expect(JSON.parse(foreignJson({ text }))).toEqual({ text });
      }),
      { numRuns: 2000 },
    );
  });

  it('JSON for a terminal is the same document and commands nothing', () => {
    const text = `a${ESC}[2J\u009B2J\u202E\u{E0041}é😀`;
    expect(JSON.parse(foreignJson({ text }))).toEqual({ text });
    expect(foreignJson(text)).toBe(String.raw`"a\u001b[2J\u009b2J\u202e\udb40\udc41é😀"`);
  });
});
