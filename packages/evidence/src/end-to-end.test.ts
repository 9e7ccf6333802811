import { expect, test } from 'vitest';
import { sampleStory, TestLog, TRUST_ROOT } from '../test/story.ts';
import { bundleBytes, renderReport, verifyBundleBytes } from './index.ts';

test('DI-225: a run is sealed, logged, exported and verified by a stranger with the trust root alone', async () => {
  const bundle = await new TestLog().seal(sampleStory());
  const report = verifyBundleBytes(bundleBytes(bundle), TRUST_ROOT);
  expect(renderReport(report)).toBe(`TAMPER-DETECTING  run-a
ok   chain          14 events, no gap
ok   root           matches the sealed root
ok   manifest       4 of 4 attempts
ok   handoff        3 input ref(s) accounted for; 1 given by the plan itself
ok   signature      key ops-2026 (ed25519)
ok   inclusion      leaf 0 of 1
n/a  anchor         local only: this is why it is not tamper-evident
n/a  witness        none configured
n/a  time           2026-01-01T00:00:00.098Z asserted, not attested
n/a  authorization  actors are recorded as identities; no authorization was recorded
`);
  expect(report.intact).toBe(true);
});
