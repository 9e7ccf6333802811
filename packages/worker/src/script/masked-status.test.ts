import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { maskedStatus } from './masked-status.ts';
import { strictScript } from './shell.ts';

/** A test that fails, and everything FF-140 asks it to survive. */
const FAILING: readonly string[] = [
  'false',
  'false | cat',
  'false | tee /dev/null | grep -v x',
  'false; echo done',
  'false\necho done\ntrue',
  '(false; echo done)',
  '( false ) | cat; echo done',
  'x=$(false); echo "$x"',
  'x=$(false; echo partly); echo "$x"',
  '{ false; echo done; }',
  'false && true',
  'false || true',
  'false || :',
  'false ||  echo "tests failed"',
  'false || exit 0',
  'false || { echo ignored; }',
  'false & echo done',
  'false &',
  '(sleep 0; false) & wait',
  '! false',
  'true; ! false',
  'if false; then echo a; fi',
  'if ! false; then echo a; fi',
  'while false; do :; done',
  'set +e; false; true',
  'set +o pipefail; false | cat',
  "trap 'exit 0' EXIT; false",
  'f() { false; }; f || true',
  'false || true # the suite is flaky',
  'cat <(false); exit 0',
  'cat <(false)',
  'false || printf x',
];

const PASSING: readonly string[] = [
  'true',
  'true | cat',
  'echo "a || true & ! b"',
  "grep -q 'x || true' /dev/null || exit 1",
  'true 2>&1 | cat',
  'true &>/dev/null',
  'true && true',
  'echo a#b # say: false || true',
  '[ 1 = 1 ]\ntrue',
];

function status(script: string, isBash: boolean): number | null {
  const [program, ...args] = strictScript({ path: isBash ? '/bin/bash' : '/bin/sh', isBash }, script);
  return spawnSync(program, args, { stdio: 'ignore' }).status;
}

describe('strict scripts', () => {
  test.each(FAILING)('FF-140: a failing test never passes as: %s', (script) => {
    const passes = status(script, true) === 0 && maskedStatus(script, true).length === 0;
    expect(passes).toBe(false);
  });

  test.each(FAILING.filter((script) => !script.includes('<(')))(
    'FF-140: nor where only sh is there: %s',
    (script) => {
      const passes = status(script, false) === 0 && maskedStatus(script, false).length === 0;
      expect(passes).toBe(false);
    },
  );

  test.each(PASSING.filter((script) => !script.startsWith('grep')))(
    'FF-140: a passing test passes as: %s',
    (script) => {
      expect(status(script, true)).toBe(0);
      expect(maskedStatus(script, true)).toEqual([]);
    },
  );

  test('FF-140: a status that is only handed on is no mask, one that is replaced is', () => {
    expect(maskedStatus('npm test && npm run lint', true)).toEqual([]);
    expect(maskedStatus('npm test || true', true)[0]).toContain('replaces a failure');
  });
});
