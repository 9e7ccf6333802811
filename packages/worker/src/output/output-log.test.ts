import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutputLine } from '@palisade/contracts';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Redactor } from '../redaction/redactor.ts';
import { LineSplitter } from './line-splitter.ts';
import { OutputLog } from './output-log.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'palisade-log-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const fail = (error: unknown): never => {
  throw error;
};

function lines(): OutputLine[] {
  const text = readFileSync(join(dir, 'output.log'), 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => OutputLine.parse(JSON.parse(line)));
}

function texts(): string[] {
  return lines().flatMap((line) => ('text' in line ? [line.text] : []));
}

describe('OutputLog', () => {
  test('FF-074: a 5 MB line of JSON with wide characters at every chunk edge is one entry, byte for byte', () => {
    const log = new OutputLog(join(dir, 'output.log'), new Redactor({ T: 'not-in-there' }), fail);
    const line = JSON.stringify({ v: '漢é🚀'.repeat(550_000) });
    const out = log.block('agent');
    const bytes = Buffer.from(`${line}\nlast`);
    expect(bytes.length).toBeGreaterThan(4_900_000);
    for (let at = 0; at < bytes.length; at += 65_537) out.push('stdout', bytes.subarray(at, at + 65_537));
    out.end();
    log.close();
    expect(texts()).toEqual([line, 'last']);
  });

  test('FF-070: NULs survive, bytes that are no UTF-8 are replaced, every entry is readable', () => {
    const log = new OutputLog(join(dir, 'output.log'), new Redactor({}), fail);
    const out = log.block('agent');
    out.push('stderr', Buffer.from([0x61, 0, 0x62, 0x0a, 0xff, 0x80, 0x0a]));
    out.push('stdout', Buffer.from('a\0b', 'utf16le'));
    out.end();
    log.close();
    expect(texts()).toEqual(['a\0b', '\ufffd\ufffd', 'a\0\0\0b\0']);
  });

  test('EX-202: a secret split between chunks and its twin in a phase never reach the file', () => {
    const log = new OutputLog(join(dir, 'output.log'), new Redactor({ T: 'canary-1234' }), fail);
    const out = log.block('agent');
    for (const byte of Buffer.from('x canary-1234 y\n')) out.push('stdout', Buffer.from([byte]));
    out.end();
    log.phase('setup', 'with canary-1234');
    log.message('canary-1234');
    log.warning('canary-1234');
    log.close();
    expect(readFileSync(join(dir, 'output.log'), 'utf8')).not.toContain('canary');
    expect(texts()[0]).toBe('x <redacted:secret> y');
  });

  test('a line is in the file as soon as its line feed came', () => {
    const log = new OutputLog(join(dir, 'output.log'), new Redactor({}), fail);
    const out = log.block('agent');
    out.push('stdout', Buffer.from('one\ntw'));
    expect(texts()).toEqual(['one']);
    out.push('stdout', Buffer.from('o\n'));
    expect(texts()).toEqual(['one', 'two']);
    log.close();
  });

  test('DI-078: each stream is kept up to its own limit, cut between characters with a mark, and what is lost is counted', () => {
    const log = new OutputLog(join(dir, 'output.log'), new Redactor({}), fail, 16_000);
    const out = log.block('agent');
    for (let i = 0; i < 3; i++) out.push('stdout', Buffer.from(`${i} ${'🚀'.repeat(2_000)}\n`));
    for (let i = 0; i < 50; i++) out.push('stdout', Buffer.from('later\n'));
    out.push('stderr', Buffer.from('why it failed\n'));
    out.push('stderr', Buffer.from(`${'é'.repeat(2_000)}\n`));
    out.end();
    log.phase('finished');
    const losses = log.losses();
    log.close();
    const of = (kind: string) =>
      lines().flatMap((line) => (line.kind === kind && 'text' in line ? [line.text] : []));
    expect(of('stdout')).toHaveLength(2);
    expect(of('stdout')[0]).toBe(`0 ${'🚀'.repeat(2_000)}`);
    expect(of('stdout')[1]).toMatch(/^1 (?:🚀)+ \[\d+ characters cut\]$/u);
    expect(of('stderr')[0]).toBe('why it failed');
    expect(of('stderr')[1]).toMatch(/^é+ \[\d+ characters cut\]$/);
    expect(of('warning')).toEqual([
      'what is kept of stdout ends here, at 16000 bytes (sandbox.output_mb)',
      'what is kept of stderr ends here, at 1000 bytes (sandbox.output_mb)',
    ]);
    expect(lines().at(-1)).toMatchObject({ kind: 'phase', phase: 'finished' });
    expect(losses.map((loss) => loss.replace(/^\d+/, 'N'))).toEqual([
      'N bytes of stdout were dropped: of it 16000 bytes are kept (sandbox.output_mb)',
      'N bytes of stderr were dropped: of it 1000 bytes are kept (sandbox.output_mb)',
    ]);
    const [lost = 0] = losses.map((loss) => Number.parseInt(loss, 10));
    expect(lost).toBeGreaterThan(3 * 8_002 + 50 * 5 - 16_500);
    expect(lost).toBeLessThan(3 * 8_002 + 50 * 6 - 15_000);
  });

  test('FF-069: a log that cannot be written says so once', () => {
    const failures: unknown[] = [];
    const log = new OutputLog('/dev/full', new Redactor({}), (error) => failures.push(error));
    log.phase('one');
    log.phase('two');
    log.close();
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatchObject({ code: 'ENOSPC' });
  });
});

describe('LineSplitter', () => {
  test('FF-074: any bytes cut at any places give the lines of the whole', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
          { maxLength: 20 },
        ),
        (chunks) => {
          const found: string[] = [];
          const splitter = new LineSplitter((line) => found.push(line.toString('latin1')));
          for (const chunk of chunks) splitter.push(chunk);
          splitter.end();
          const expected = Buffer.concat(chunks).toString('latin1').split('\n');
          if (expected.at(-1) === '') expected.pop();
          expect(found).toEqual(expected);
        },
      ),
    );
  });

  test('FF-073: a line beyond the limit is cut between characters', () => {
    const found: Buffer[] = [];
    const splitter = new LineSplitter((line) => found.push(line), 10);
    splitter.push(Buffer.from('🚀'.repeat(7)));
    splitter.end();
    expect(found.map((line) => line.toString('utf8'))).toEqual(['🚀🚀', '🚀🚀', '🚀🚀', '🚀']);
  });
});
