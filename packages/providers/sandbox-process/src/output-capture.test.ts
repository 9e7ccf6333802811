import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { OutputCapture } from './output-capture.ts';

/** Feeds `bytes` in pieces of the given sizes, over and over. */
function capture(bytes: Buffer, limit: number, sizes: readonly number[]): OutputCapture {
  const captured = new OutputCapture(limit);
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const size = sizes[piece % sizes.length] ?? 1;
    captured.add(bytes.subarray(at, at + size));
    at += size;
  }
  return captured;
}
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });

it('FF-073: text is kept as a whole number of characters, however it arrives', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(40), sizes, (text, limit, sizes) => {
      const bytes = Buffer.from(text);
      const { bytes: kept, dropped } = capture(bytes, limit, sizes).result();
      const decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(kept);
      expect(text.startsWith(decoded)).toBe(true);
      expect(kept.length + dropped).toBe(bytes.length);
      if (bytes.length > limit) expect(limit - kept.length).toBeLessThan(4);
      else expect(dropped).toBe(0);
    }),
    { numRuns: 1000 },
  );
});

it('bytes that are no text are a prefix within the limit, and every dropped byte is counted', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(60), sizes, (bytes, limit, sizes) => {
      const { bytes: kept, dropped } = capture(Buffer.from(bytes), limit, sizes).result();
      expect(Buffer.compare(kept, bytes.subarray(0, kept.length))).toBe(0);
      expect(kept.length).toBeLessThanOrEqual(limit);
      expect(kept.length + dropped).toBe(bytes.length);
    }),
  );
});
