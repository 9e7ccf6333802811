import { expect, test } from 'vitest';
import { forged } from '../test/forge.ts';
import { verify } from '../test/judge.ts';
import { sampleStory, TestLog } from '../test/story.ts';
import { renderReport, reportJson } from './index.ts';

test('DI-254: a failing report names the verdict, flags the first failing row and shows all rows', async () => {
  const good = await new TestLog().seal(sampleStory());
  const report = verify(forged(good, (b) => void b.manifests.splice(0, 1)));
  const lines = renderReport(report).split('\n');
  expect(lines[0]).toBe('TAMPERED  run-a');
  expect(lines[3]).toMatch(
    /^FAIL manifest {7}item spec attempt 1: no manifest with hash sha256:[0-9a-f]{64}.*<-- first failure$/,
  );
  expect(lines.filter((line) => line.includes('<--'))).toHaveLength(1);
  expect(lines).toHaveLength(12);
  expect(JSON.parse(reportJson(report))).toEqual(report);
});

test('DI-247: a report whose signature nobody could check says so in its first line', async () => {
  const report = verify(await new TestLog().seal(sampleStory()), null);
  expect(renderReport(report).split('\n')[0]).toBe('TAMPER-DETECTING (signature not checked)  run-a');
});

test('text from a bundle cannot steer the terminal or add rows', async () => {
  const good = await new TestLog().seal(sampleStory());
  const report = verify(
    forged(good, (b) => {
      b.run_id = 'run\u001b[2J\nok   chain';
      Object.assign(b.seal.signatures[0] ?? {}, { keyid: 'x\u202e\u009b\u2028y' });
    }),
  );
  const text = renderReport(report);
  expect(text.split('\n')).toHaveLength(12);
  expect(/[\p{Cc}\p{Cf}\p{Zl}]/u.test(text.replaceAll('\n', ''))).toBe(false);
});
