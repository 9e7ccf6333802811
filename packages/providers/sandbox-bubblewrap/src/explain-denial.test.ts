import { expect, it } from 'vitest';
import { explainDenial } from './explain-denial.ts';

it.each([
  ['OSError: [Errno 97] Address family not supported by protocol', 'local and internet sockets'],
  ['connect ECONNREFUSED 127.0.0.1:5432', "localhost is the sandbox's own"],
  ['Failed to connect to localhost port 80: Connection refused', "localhost is the sandbox's own"],
  ["touch: cannot touch '/usr/x': Read-only file system", 'read-only'],
  ['sudo: The "no new privileges" flag is set', 'privileges'],
  ['head: write error: File too large', 'sandbox.file_bytes'],
  ['sh: 1: Cannot fork', 'sandbox.processes'],
  ['strace: ptrace(PTRACE_TRACEME): Operation not permitted', 'system call'],
])('FF-136: %s', (text, part) => {
  expect(explainDenial(text)).toContain(part);
});

it('FF-136: a sandbox that has the network is not said to have none, its other rules are named', () => {
  expect(explainDenial('connect ECONNREFUSED 127.0.0.1:5432', true)).toBe(null);
  expect(explainDenial("touch: cannot touch '/usr/x': Read-only file system", true)).toContain('read-only');
});

it.each(['Device or resource busy', 'Operation not permitted', 'all is well', ''])(
  'a text that names no rule is not explained away: %s',
  (text) => {
    expect(explainDenial(text)).toBe(null);
  },
);
