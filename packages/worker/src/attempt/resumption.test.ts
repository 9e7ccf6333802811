import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash, decodeBundle, encodeBundle, type AttemptSpec } from '@palisade/contracts';
import { describe, expect, test } from 'vitest';
import { type AgentAttempt, attemptOf, lines, programDouble } from '../../test/agent-fixture.ts';
import { available, repository, scratch, type SpecChanges } from '../../test/attempt-fixture.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const stream = (id: string, isError: boolean): string =>
  lines(
    { type: 'system', subtype: 'init', session_id: id },
    { type: 'result', subtype: 'success', is_error: isError, session_id: id, result: 'said' },
  );

/** Claude Code's place is taken by a program that leaves these files where its sessions lie. */
const attempt = (
  leaves: string,
  changes: SpecChanges & { readonly fails?: boolean; readonly id?: string; readonly resumes?: boolean } = {},
): Promise<AgentAttempt> => {
  const { fails = true, id = ID, resumes = true, ...rest } = changes;
  // What the double wrote down of its environment holds the key: the product would be withheld.
  const and = `rm outputs/env; mkdir -p "$CLAUDE_CONFIG_DIR/projects/-workspace"; cd "$CLAUDE_CONFIG_DIR/projects/-workspace"
${leaves}
cd "$PALISADE_WORKSPACE"`;
  const program = programDouble({ prints: stream(id, fails), status: fails ? 1 : 0, and });
  const run = {
    harness: 'claude-code' as const,
    program,
    may_ask: false,
    ...(resumes ? { resume: true } : {}),
  };
  return attemptOf(run, rest, { ANTHROPIC_API_KEY: 'canary-of-a-key-7f3a9b2c' });
};

/** Files of the session an attempt left; null when it left none. */
const sessionOf = ({ result, bytesOf }: AgentAttempt): Record<string, string> | null => {
  const ref = result.product.agent_session?.state_ref;
  if (ref === undefined) return null;
  const { files } = decodeBundle(bytesOf(ref));
  return Object.fromEntries(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString('utf8')]));
};

describe.skipIf(!available.includes('bubblewrap'))('the session of an attempt that did not end well', () => {
  test('is kept: its own files and no others, and no half line', async () => {
    const left = await attempt(`printf '{"a":1}\\n{"half' > ${ID}.jsonl
      mkdir -p ${ID}/subagents; echo '{}' > ${ID}/subagents/x.jsonl
      echo '{}' > 99999999-2222-4333-8444-555555555555.jsonl
      ln -s /etc/passwd ${ID}/link.jsonl; mkfifo ${ID}/pipe.jsonl`);
    expect(left.result.outcome).toBe('failed');
    expect(sessionOf(left)).toEqual({
      [`-workspace/${ID}.jsonl`]: '{"a":1}\n',
      [`-workspace/${ID}/subagents/x.jsonl`]: '{}\n',
    });
  });

  test.each([
    ['nobody asked for it', `echo '{}' > ${ID}.jsonl`, { resumes: false }, null],
    ['the attempt succeeded', `echo '{}' > ${ID}.jsonl`, { fails: false }, null],
    ['it holds a secret', `echo "{\\"k\\":\\"$ANTHROPIC_API_KEY\\"}" > ${ID}.jsonl`, {}, 'ANTHROPIC_API_KEY'],
    ['its name is a path', `echo '{}' > x.jsonl`, { id: '../../../etc/x' }, 'no usable name'],
    ['its name is an option', `echo '{}' > --help.jsonl`, { id: '--help' }, 'no usable name'],
    ['it is not there', 'true', {}, 'not where they should be'],
    ['it is a link', `ln -s /etc/passwd ${ID}.jsonl`, {}, 'not where they should be'],
    ['it is too big', `truncate -s 40M ${ID}.jsonl`, {}, '33554432 bytes'],
  ] as const)('EX-202, FF-135: is not kept when %s', async (_why, leaves, changes, warning) => {
    const left = await attempt(leaves, changes);
    expect(sessionOf(left)).toBe(null);
    expect(left.result.files.map(({ file }) => file)).not.toContain('session');
    const warnings = (left.result.product.warnings ?? []).filter((text) => text.includes('not kept'));
    expect(warnings).toEqual(warning === null ? [] : [expect.stringContaining(warning)]);
  });
});

/** What the engine hands a retry: a session, and the patch of the attempt before. */
function earlier(patch: string | null): NonNullable<AttemptSpec['resume']> {
  const dir = scratch();
  const stored = (name: string, bytes: Buffer): { ref: ReturnType<typeof contentHash>; path: string } => {
    writeFileSync(join(dir, name), bytes);
    return { ref: contentHash(bytes), path: join(dir, name) };
  };
  const bytes = Buffer.from('{"said":"before"}\n');
  const bundle = encodeBundle('session', [{ path: `-elsewhere/${ID}.jsonl`, bytes, executable: false }]);
  return {
    attempt: 1,
    session: { id: ID, ...stored('session', bundle) },
    ...(patch === null ? {} : { patch: stored('patch', Buffer.from(patch)) }),
    reason: 'gate 1 exited with status 7',
  };
}
const CHANGE = (from: string): string =>
  `diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-${from}\n+one\n`;

describe.skipIf(!available.includes('bubblewrap'))('a retry that goes on', () => {
  const retry = (patch: string | null, fails = false) => {
    const { gitDir, commit } = repository({ 'a.txt': 'zero\n' });
    return attempt('cat "$PALISADE_WORKSPACE/a.txt" > "$PALISADE_WORKSPACE/outputs/a"', {
      fails,
      resume: earlier(patch),
      workspace: { kind: 'git', git_dir: gitDir, commit },
    });
  };

  test('has the session where its program looks for it, its earlier changes as its own, and is told why', async () => {
    const went = await retry(CHANGE('zero'));
    expect(went.result.reason ?? '').toBe('');
    expect(went.output('argv')?.split('\n')).toContain(`--resume=${ID}`);
    expect(went.output('files')).toContain(`== ./projects/-workspace/${ID}.jsonl\n{"said":"before"}`);
    expect(went.output('stdin')).toMatch(/^Your work so far .*: gate 1 exited with status 7\n/);
    expect(went.output('stdin')).toContain('your changes are applied to it again');
    expect(went.output('stdin')).toMatch(/Do the task\.$/);
    expect(went.output('a')).toBe('one\n');
    expect(went.patch()).toContain('+one');
  });

  test('is told when its changes were not kept', async () => {
    const went = await retry(null);
    expect(went.output('argv')).toContain('--resume=');
    expect(went.output('stdin')).toContain('holds none of your changes');
    expect([went.output('a'), went.patch()]).toEqual(['zero\n', '']);
  });

  test('begins anew, in a workspace without a trace, when the changes do not apply', async () => {
    const went = await retry(CHANGE('something else'));
    expect(went.result.outcome).toBe('succeeded');
    expect(went.output('argv')).not.toContain('--resume');
    expect(went.output('stdin')).toBe('Do the task.');
    expect([went.output('a'), went.patch()]).toEqual(['zero\n', '']);
    expect(went.result.product.warnings?.join()).toContain(
      'it began anew instead of going on with attempt 1',
    );
  });

  test('FF-073: leaves no session when its program fails, so that a dead one is not tried for ever', async () => {
    const went = await retry(CHANGE('zero'), true);
    expect(went.result.outcome).toBe('failed');
    expect(sessionOf(went)).toBe(null);
  });
});
