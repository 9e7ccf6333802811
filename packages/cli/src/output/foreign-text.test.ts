import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foreignBlock, foreignLine } from './foreign-text.ts';

const ESC = '\u001B';
const corpus: readonly (readonly [string, string, string])[] = [
  ['colour', `${ESC}[31mred${ESC}[0m`, 'red'],
  ['cursor movement', `a${ESC}[2A${ESC}[2Kb`, 'ab'],
  ['8-bit CSI', 'a\u009B31mb', 'ab'],
  ['window title', `a${ESC}]0;owned\u0007b`, 'ab'],
  ['hyperlink', `${ESC}]8;;https://evil.example${ESC}\\click${ESC}]8;;${ESC}\\`, 'click'],
  ['clipboard', `${ESC}]52;c;cm0gLXJm\u0007x`, 'x'],
  ['device string', `a${ESC}P1$rstuff${ESC}\\b`, 'ab'],
  ['unterminated string', `a${ESC}]0;never ends`, 'a'],
  ['reset', `a${ESC}cb`, 'ab'],
  ['lone escape at the end', `a${ESC}`, 'a'],
  ['carriage return', 'good\rEVIL', 'goodEVIL'],
  ['backspace', 'ab\u0008\u0008cd', 'abcd'],
  ['bell and null', 'a\u0007\u0000b', 'ab'],
  ['bidirectional override', 'gpj.\u202Eexe.txt', 'gpj.exe.txt'],
  ['isolates', '\u2066a\u2069\u200Fb', 'ab'],
  ['tag characters', `a${String.fromCodePoint(0xe0041, 0xe0042)}b`, 'ab'],
  ['zero width', 'pass\u200Bword\uFEFF', 'password'],
  ['lone surrogate', 'a\uD800b', 'a\uFFFDb'],
];

describe('foreign text', () => {
  for (const [what, hostile, harmless] of corpus) {
    it(`loses its ${what}`, () => {
      expect(foreignLine(hostile)).toBe(harmless);
    });
  }

  it('keeps what people write: umlauts, CJK, emoji, tabs and lines', () => {
    const text = 'Grüße 日本語 👩‍💻 a\tb\nc';
    expect(foreignBlock(text)).toBe(text);
    expect(foreignLine(text)).toBe('Grüße 日本語 👩‍💻 a b c');
  });

  it('never lets a control character through, whatever the text', () => {
    const hostile = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom(ESC, '\u009B', '\u009D', '[', ']', '\u0007', '\u202E'),
      ),
    );
    fc.assert(
      fc.property(hostile, (parts) => {
        const clean = foreignBlock(parts.join(''));
        expect(clean).not.toMatch(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/u);
        expect(foreignBlock(clean)).toBe(clean);
      }),
      { numRuns: 2000 },
    );
  });
});
