import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameReader, type OutputStream } from './stream-frames.ts';

type Frame = readonly [OutputStream, Buffer];

function encode(frames: readonly Frame[]): Buffer {
  return Buffer.concat(
    frames.flatMap(([stream, bytes]) => {
      const header = Buffer.alloc(8);
      header.writeUInt8(stream === 'stdout' ? 1 : 2, 0);
      header.writeUInt32BE(bytes.length, 4);
      return [header, bytes];
    }),
  );
}

/** What a reader makes of the chunks, and whether it took them all and ended whole. */
function read(chunks: readonly Buffer[]) {
  const out = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const reader = new FrameReader((stream, bytes) => out[stream].push(Buffer.from(bytes)));
  const taken = chunks.every((chunk) => reader.read(chunk));
  const joined = { stdout: Buffer.concat(out.stdout), stderr: Buffer.concat(out.stderr) };
  return { taken, whole: reader.isBetweenFrames, ...joined };
}

const FRAMES: readonly Frame[] = [
  ['stdout', Buffer.from('first line\n')],
  ['stderr', Buffer.from('trouble ü漢🙂')],
  ['stdout', Buffer.alloc(0)],
  ['stdout', Buffer.from([1, 0, 0, 0, 0, 0, 0, 5])],
  ['stderr', Buffer.from('end')],
];
const of = (stream: OutputStream, frames: readonly Frame[]): Buffer =>
  Buffer.concat(frames.flatMap(([name, bytes]) => (name === stream ? [bytes] : [])));

test('FF-074: frames arrive whole and in order, cut in two at any byte, or after every byte', () => {
  const bytes = encode(FRAMES);
  const wanted = {
    taken: true,
    whole: true,
    stdout: of('stdout', FRAMES),
    stderr: of('stderr', FRAMES),
  };
  for (let cut = 0; cut <= bytes.length; cut++)
    expect(read([bytes.subarray(0, cut), bytes.subarray(cut)]), `cut at ${cut}`).toEqual(wanted);
  expect(read(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))).toEqual(wanted);
});

test('FF-074: any frames in any chunks come out as they went in', () => {
  const frame = fc.tuple(
    fc.constantFrom('stdout' as const, 'stderr' as const),
    fc.uint8Array({ maxLength: 40 }),
  );
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 12 }), fc.array(fc.nat(30)), (given, sizes) => {
      const frames = given.map(([stream, bytes]): Frame => [stream, Buffer.from(bytes)]);
      const bytes = encode(frames);
      const chunks: Buffer[] = [];
      let at = 0;
      for (const size of sizes) chunks.push(bytes.subarray(at, (at += size)));
      chunks.push(bytes.subarray(at));
      const { stdout, stderr, taken, whole } = read(chunks);
      expect([taken, whole]).toEqual([true, true]);
      expect(stdout).toEqual(of('stdout', frames));
      expect(stderr).toEqual(of('stderr', frames));
    }),
  );
});

test('FF-065: an end inside of a header or a frame is not taken for a whole one', () => {
  const bytes = encode([['stdout', Buffer.from('abc')]]);
  for (let cut = 1; cut < bytes.length; cut++)
    expect(read([bytes.subarray(0, cut)]).whole, `${cut}`).toBe(false);
  expect(read([]).whole).toBe(true);
});

test('what is no frame is refused, and a frame of 4 GB announced costs no memory', () => {
  for (const header of [
    [0, 0, 0, 0, 0, 0, 0, 1],
    [3, 0, 0, 0, 0, 0, 0, 1],
    [1, 0, 1, 0, 0, 0, 0, 1],
    [...Buffer.from('HTTP/1.1')],
  ])
    expect(read([Buffer.from(header)]).taken).toBe(false);
  const huge = read([Buffer.from([1, 0, 0, 0, 255, 255, 255, 255]), Buffer.from('some')]);
  expect([huge.taken, huge.whole, huge.stdout.toString()]).toEqual([true, false, 'some']);
});
