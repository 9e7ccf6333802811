import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AttemptResult, type InboxMessage } from '@palisade/contracts';
import { describe, expect, test } from 'vitest';
import { attemptOf, lines, programDouble } from '../../test/agent-fixture.ts';
import {
  attemptDir,
  available,
  makeSpec,
  printed,
  providers,
  repository,
  scratch,
  type SpecChanges,
} from '../../test/attempt-fixture.ts';
import { runAttempt } from './attempt.ts';

const message = (seq: number, body = `message ${seq}`): InboxMessage => ({
  id: `msg_${String(seq).padStart(32, '0')}`,
  seq,
  body,
  sent_at: seq,
});
const line = (seq: number, body?: string): string => `${JSON.stringify(message(seq, body))}\n`;

/** Leaves a message for the worker as the engine does. */
function leave(dir: string, seq: number, text = JSON.stringify(message(seq))): void {
  mkdirSync(join(dir, 'messages'), { recursive: true });
  writeFileSync(join(dir, '.draft'), text);
  renameSync(join(dir, '.draft'), join(dir, 'messages', `${seq}.json`));
}

const delivered = (dir: string): string | null => {
  const path = join(dir, 'delivered');
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
};

/** Runs a shell script as the agent; `meanwhile` acts when the file `outputs/<name>` is there. */
async function run(
  command: string,
  changes: SpecChanges,
  meanwhile: Record<string, (dir: string, workspace: string) => void> = {},
): Promise<{ dir: string; result: AttemptResult }> {
  const dir = attemptDir(
    makeSpec({ channel: { messages: [] }, agent: { run: { harness: 'command', command } }, ...changes }),
  );
  const workspace = join(dir, 'workspace');
  const left = new Map(Object.entries(meanwhile));
  const timer = setInterval(() => {
    for (const [name, act] of left) {
      if (!existsSync(join(workspace, 'outputs', name))) continue;
      left.delete(name);
      act(dir, workspace);
    }
  }, 20);
  try {
    const result = AttemptResult.parse(
      await runAttempt({ attemptDir: dir, sandboxes: providers, secrets: {} }),
    );
    return { dir, result };
  } finally {
    clearInterval(timer);
  }
}

/** Waits until the inbox has that many lines, at most ten seconds. */
const AWAIT =
  'lines() { for i in $(seq 100); do [ "$(wc -l < "$PALISADE_INBOX_FILE")" -ge "$1" ] && return; sleep 0.1; done; exit 9; }; ';

describe.each(['process', 'bubblewrap'])('messages in %s', (provider) => {
  const isHere = available.includes(provider);
  const sandbox = { provider };

  test.skipIf(!isHere)(
    'DI-121: an agent finds what was sent before it began, and what comes while it runs, in order and each once',
    async () => {
      const { dir, result } = await run(
        `${AWAIT} cp "$PALISADE_INBOX_FILE" outputs/before; lines 4; cp "$PALISADE_INBOX_FILE" outputs/after; echo change > file`,
        { sandbox, channel: { messages: [message(1), message(2, 'two\nlines «é»')] } },
        {
          before: (into) => {
            // All are handed on again, also those of the specification.
            for (const seq of [1, 2, 3, 4]) leave(into, seq);
          },
        },
      );
      expect([result.outcome, result.reason]).toEqual(['succeeded', undefined]);
      const read = (path: string): string => {
        const file = result.files.find(
          ({ ref }) => ref === result.product.outputs?.find((output) => output.path === path)?.ref,
        );
        return readFileSync(join(dir, 'products', file?.file ?? ''), 'utf8');
      };
      const before = line(1) + line(2, 'two\nlines «é»');
      expect(read('before')).toBe(before);
      expect(read('after')).toBe(before + line(3) + line(4));
      expect(delivered(dir)).toBe('4');
      // Nothing of it is part of what the agent changed.
      expect(result.product.patch).toMatchObject({ files: 1, added: 1 });
      expect(result.product.warnings).toBeUndefined();
    },
  );
});

describe.each(['process', 'bubblewrap'])('a hostile inbox in %s', (provider) => {
  const isHere = available.includes(provider);
  const sandbox = { provider };
  const hostile = {
    'a symlink out of the workspace': 'rm "$PALISADE_INBOX_FILE"; ln -s "$OUTSIDE" "$PALISADE_INBOX_FILE"',
    'a symlink to a file of the repository':
      'rm "$PALISADE_INBOX_FILE"; ln -s ../tracked "$PALISADE_INBOX_FILE"',
    'a FIFO': 'rm "$PALISADE_INBOX_FILE"; mkfifo "$PALISADE_INBOX_FILE"',
    'a hard link to a file of the repository': 'rm "$PALISADE_INBOX_FILE"; ln tracked "$PALISADE_INBOX_FILE"',
    'a hard link of the inbox among the sources': 'ln "$PALISADE_INBOX_FILE" stolen',
    'a directory': 'rm "$PALISADE_INBOX_FILE"; mkdir "$PALISADE_INBOX_FILE"',
    'a symlink in place of its directory': 'mv .palisade moved; ln -s moved .palisade',
    'nothing at all': 'rm "$PALISADE_INBOX_FILE"',
  };

  test.skipIf(!isHere).each(Object.entries(hostile))(
    'DI-121: %s is neither written to nor waited for, and is a warning',
    async (_, trick) => {
      const outside = join(scratch(), 'outside');
      writeFileSync(outside, 'untouched\n');
      const { gitDir, commit } = repository({ tracked: 'tracked\n' });
      const { dir, result } = await run(
        `${trick} && touch outputs/ready && sleep 1.5; cat tracked > outputs/tracked; [ ! -e stolen ] || cat stolen > outputs/stolen`,
        {
          sandbox,
          workspace: { kind: 'git', git_dir: gitDir, commit },
          env_values: { OUTSIDE: outside },
          pipeline: [{ kind: 'agent' }, { kind: 'capture', what: 'outputs' }],
        },
        { ready: (into) => leave(into, 1) },
      );
      expect([result.outcome, result.reason]).toEqual(['succeeded', undefined]);
      expect(readFileSync(outside, 'utf8')).toBe('untouched\n');
      const sizes = Object.fromEntries((result.product.outputs ?? []).map(({ path, size }) => [path, size]));
      expect(sizes).toMatchObject({ tracked: 'tracked\n'.length });
      expect(sizes['stolen'] ?? 0).toBe(0);
      expect(delivered(dir)).toBeNull();
      expect(result.product.warnings).toEqual([
        'messages do not reach the agent: .palisade/inbox.jsonl is not the file that was made there',
      ]);
    },
  );
});

describe('an inbox', () => {
  test('DI-121: what an agent empties or adds to is its own: lines come whole behind it', async () => {
    const { dir, result } = await run(
      `${AWAIT} : > "$PALISADE_INBOX_FILE"; echo mine >> "$PALISADE_INBOX_FILE"; touch outputs/ready; lines 2; cp "$PALISADE_INBOX_FILE" outputs/after`,
      { channel: { messages: [message(1)] } },
      { ready: (into) => leave(into, 2) },
    );
    expect(result.outcome).toBe('succeeded');
    const file = result.files.find(({ size }) => size === `mine\n${line(2)}`.length);
    expect(readFileSync(join(dir, 'products', file?.file ?? ''), 'utf8')).toBe(`mine\n${line(2)}`);
    expect(delivered(dir)).toBe('2');
  });

  test.each([
    ['no JSON', '{'],
    ['no message', '{"seq":1}'],
    ['another number', JSON.stringify(message(7))],
  ])('DI-121: %s in the mailbox is a warning, and says nothing of what it held', async (_, text) => {
    const { dir, result } = await run(
      'touch outputs/ready; sleep 1.2',
      {},
      {
        ready: (into) => leave(into, 1, text),
      },
    );
    expect(result.outcome).toBe('succeeded');
    expect(result.product.warnings).toHaveLength(1);
    expect(result.product.warnings?.[0]).toMatch(/^messages do not reach the agent: /);
    expect(delivered(dir)).toBeNull();
  });

  test('DI-121: an attempt of an item without a channel has none, and looks for nothing', async () => {
    const { channel: _, ...spec } = makeSpec({
      channel: { messages: [] },
      agent: {
        run: {
          harness: 'command',
          command: 'echo "[${PALISADE_INBOX_FILE-unset}]"; ls .palisade; sleep 0.8',
        },
      },
    });
    const dir = attemptDir(spec);
    leave(dir, 1);
    const result = await runAttempt({ attemptDir: dir, sandboxes: providers, secrets: {} });
    expect(result.outcome).toBe('succeeded');
    expect(printed(dir)).toContain('[unset]');
    expect(printed(dir)).not.toContain('inbox');
    expect(delivered(dir)).toBeNull();
  });
});

describe.skipIf(!available.includes('bubblewrap'))('a coding agent', () => {
  const ID = '11111111-2222-4333-8444-555555555555';
  const prints = lines(
    { type: 'system', subtype: 'init', session_id: ID },
    { type: 'result', subtype: 'success', is_error: false, session_id: ID, result: 'said' },
  );
  const secrets = { ANTHROPIC_API_KEY: 'canary-of-a-key-7f3a9b2c' };
  const told = async (changes: SpecChanges, settings: object = {}): Promise<string> => {
    const program = programDouble({ prints, and: 'rm outputs/env' });
    const { output } = await attemptOf({ harness: 'claude-code', program, ...settings }, changes, secrets);
    return output('stdin') ?? '';
  };

  test('DI-121: is told where messages come, by the real path, where its item takes some', async () => {
    const channel = { messages: [] };
    const text = await told({ prompt: 'The task.', channel }, { may_ask: false });
    expect(text).toMatch(
      /^The task\.\n\nWhile you work, people may send you messages\. .*\/\S+\/\.palisade\/inbox\.jsonl/s,
    );
    expect(await told({ prompt: 'The task.' }, { may_ask: false })).toBe('The task.');
    expect(await told({ prompt: 'The task.', channel })).toMatch(/needs_input\.json.*inbox\.jsonl/s);
  });
});
