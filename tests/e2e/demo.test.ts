import { expect, it, onTestFinished } from 'vitest';
import { makeRepository, palisade, removeInstallation } from '../support/installation.ts';

it('DI-253: the demo answers a program with one document, and tells the rest beside it', async () => {
  const root = makeRepository({ 'a.txt': 'one\n' });
  onTestFinished(() => removeInstallation(root));
  const { code, stdout, stderr } = await palisade(root, ['demo', '--json']);
  expect(JSON.parse(stdout), stderr).toEqual({ ok: true });
  expect(stderr).toContain('The change was found: exit 1.');
  expect(code).toBe(0);
}, 120_000);
