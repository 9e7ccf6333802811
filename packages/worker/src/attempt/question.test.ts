import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AnswerRecord,
  AttemptResult,
  type AttemptSpec,
  contentHash,
  newId,
  type Question,
} from '@palisade/contracts';
import { describe, expect, test } from 'vitest';
import { attemptOf, lines, programDouble } from '../../test/agent-fixture.ts';
import {
  attemptDir,
  available,
  makeSpec,
  printed,
  providers,
  repository,
  type SpecChanges,
  scratch,
} from '../../test/attempt-fixture.ts';
import { runAttempt } from './attempt.ts';

async function run(
  changes: SpecChanges,
  secrets: Record<string, string> = {},
): Promise<{ dir: string; result: AttemptResult }> {
  const dir = attemptDir(makeSpec({ ...changes, secret_names: Object.keys(secrets) }));
  const result = AttemptResult.parse(await runAttempt({ attemptDir: dir, sandboxes: providers, secrets }));
  return { dir, result };
}

/** An agent that leaves this as its question, and exits with 3. */
const asking = (text: string, more: SpecChanges = {}): SpecChanges => ({
  agent: {
    run: {
      harness: 'command',
      command: `echo changed > f; cat > "$PALISADE_QUESTION_FILE" <<'END'\n${text}\nEND\nexit 3`,
    },
  },
  ...more,
});

const answered = (
  question: Question,
  answer: string,
  attempt = 1,
): NonNullable<AttemptSpec['answers']>[number] => {
  const record: AnswerRecord = {
    schema_version: 1,
    request: newId('apr'),
    request_hash: contentHash('request'),
    actor: 'human:bob',
    answered_at: 1,
    answer,
  };
  return { attempt, question, answer: record };
};

describe.each(['process', 'bubblewrap'])('a question in %s', (provider) => {
  const isHere = available.includes(provider);
  const sandbox = { provider };

  test.skipIf(!isHere)(
    'DI-119 DI-103: that it is there counts for more than the exit status, and the work so far is kept',
    async () => {
      const { dir, result } = await run(
        asking(
          '{"question":"Left or right?","options":["left","right"],"context":"c","partial_state":{"b":[1],"a":2}}',
          {
            sandbox,
            verify: { command: 'touch checked' },
            pipeline: [
              { kind: 'agent' },
              { kind: 'script', command: 'touch gated' },
              { kind: 'capture', what: 'outputs' },
            ],
          },
        ),
      );
      const state = '{"a":2,"b":[1]}';
      expect(result).toMatchObject({
        outcome: 'needs_input',
        exit_code: 0,
        retryable: false,
        product: {
          patch: { files: 1, added: 1 },
          question: {
            question: 'Left or right?',
            options: ['left', 'right'],
            context: 'c',
            partial_state: { ref: contentHash(state), size: state.length },
          },
        },
      });
      const file = result.files.find(({ ref }) => ref === contentHash(state));
      expect(readFileSync(join(dir, 'products', file?.file ?? ''), 'utf8')).toBe(state);
      expect(result.product.verify).toBeUndefined();
      // The gate did not run, and the patch was captured although the pipeline captures none.
      expect(result.blocks.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
        'agent failed',
        'script skipped',
        'capture ok',
        'capture ok',
      ]);
    },
  );

  test.skipIf(!isHere)(
    'DI-119: the next attempt has the changes, the answer and the state, and they are part of its product',
    async () => {
      const repo = repository({ 'a.txt': 'one\n' });
      const workspace = { kind: 'git' as const, git_dir: repo.gitDir, commit: repo.commit };
      const first = await run(asking('{"question":"q","partial_state":[1,2]}', { sandbox, workspace }));
      const patch = join(first.dir, 'products/patch');
      const state = join(scratch(), 'state');
      writeFileSync(state, '[1,2]');
      const question = { question: 'q', partial_state: { ref: contentHash('[1,2]'), size: 5 } };
      const second = await run({
        sandbox,
        workspace,
        attempt: 2,
        resume: { attempt: 1, patch: { ref: contentHash(readFileSync(patch)), path: patch } },
        answers: [
          answered({ question: 'before?' }, 'earlier'),
          { ...answered(question, 'right'), state_path: state },
        ],
        agent: {
          run: {
            harness: 'command',
            command: 'cat f inputs/answer.txt "$PALISADE_ANSWER_FILE"; echo more > g',
          },
        },
      });
      expect(second.result).toMatchObject({ outcome: 'succeeded', product: { patch: { files: 2 } } });
      const shown = printed(second.dir);
      expect(shown).toMatch(/^changed\nright\n/);
      expect(JSON.parse(shown.slice(shown.indexOf('{')))).toEqual({
        schema_version: 1,
        attempt: 1,
        question: 'q',
        answer: 'right',
        answered_by: 'human:bob',
        answered_at: 1,
        partial_state: [1, 2],
        earlier: [{ question: 'before?', answer: 'earlier', answered_by: 'human:bob' }],
      });
    },
  );

  test.skipIf(!isHere)(
    'DI-135: the scripted harness asks, and does not do again what comes before an answered question',
    async () => {
      const steps = [
        { do: 'append' as const, path: 'log', text: 'once\n' },
        { do: 'ask' as const, question: 'Go on?' },
        { do: 'run' as const, command: 'cat inputs/answer.txt >> log' },
        { do: 'ask' as const, question: 'And now?' },
        { do: 'exit' as const, code: 7 },
      ];
      const agent = { run: { harness: 'scripted' as const, steps } };
      const first = await run({ sandbox, agent });
      expect(first.result).toMatchObject({
        outcome: 'needs_input',
        product: { question: { question: 'Go on?' } },
      });
      const answers = [answered({ question: 'Go on?' }, 'yes')];
      const second = await run({ sandbox, agent, answers });
      expect(second.result).toMatchObject({
        outcome: 'needs_input',
        product: { question: { question: 'And now?' } },
      });
      expect(readFileSync(join(second.dir, 'products/patch'), 'utf8')).toContain('+yes');
      const third = await run({
        sandbox,
        agent,
        answers: [...answers, answered({ question: 'And now?' }, 'no')],
      });
      expect(third.result).toMatchObject({ outcome: 'failed', exit_code: 7 });
    },
  );
});

describe('a question that nobody can be asked', () => {
  test.each([
    ['no JSON', 'perhaps?', 'is not JSON'],
    ['no question', '{"options":["a"]}', 'malformed at question'],
    ['an empty question', '{"question":"  "}', 'malformed at question'],
    ['options that are no texts', '{"question":"q","options":[1]}', 'malformed at options[0]'],
    [
      'a question that is too long',
      `{"question":${JSON.stringify('x'.repeat(4_001))}}`,
      'malformed at question',
    ],
    [
      'a context of too many bytes',
      `{"question":"q","context":${JSON.stringify('é'.repeat(15_000))}}`,
      '24576',
    ],
    ['a state without a canonical form', '{"question":"q","partial_state":1e999}', 'canonical'],
  ])(
    'DI-102 DI-119: with %s the attempt fails with invalid_model_output, and what it changed is kept',
    async (_what, text, why) => {
      const { result } = await run(asking(text));
      expect(result).toMatchObject({ outcome: 'failed', code: 'invalid_model_output', retryable: false });
      expect(result.reason).toContain(why);
      expect(result.product.question).toBeUndefined();
      expect(result.product.patch?.files).toBe(1);
    },
  );

  test('DI-119: a state of a mebibyte is kept, and with more the attempt fails', async () => {
    const leaving = (bytes: number): SpecChanges => ({
      agent: {
        run: {
          harness: 'command',
          command: `{ printf '{"question":"q","partial_state":"'; head -c ${bytes} /dev/zero | tr '\\0' x; printf '"}'; } > "$PALISADE_QUESTION_FILE"`,
        },
      },
    });
    const kept = await run(leaving(1_048_576 - 2));
    expect(kept.result).toMatchObject({
      outcome: 'needs_input',
      product: { question: { partial_state: { size: 1_048_576 } } },
    });
    const { result } = await run(leaving(1_048_576 - 1));
    expect(result).toMatchObject({ outcome: 'failed', code: 'invalid_model_output' });
    expect(result.reason).toContain('1048576 bytes');
  });

  test('FF-129: a secret is hidden in its words, and its state is withheld with it', async () => {
    const secrets = { TOKEN: 'canary-value-81f2' };
    const shown = await run(
      asking('{"question":"Is canary-value-81f2 right?","options":["canary-value-81f2"]}'),
      secrets,
    );
    expect(shown.result.product.question).toEqual({
      question: 'Is <redacted:secret> right?',
      options: ['<redacted:secret>'],
    });
    const held = await run(asking('{"question":"q","partial_state":{"k":"canary-value-81f2"}}'), secrets);
    expect(held.result).toMatchObject({ outcome: 'failed', code: 'credential_in_text' });
    expect(JSON.stringify(held.result)).not.toContain(secrets.TOKEN);
  });

  test('DI-042: a link or a pipe in its place is no question', async () => {
    for (const command of [
      'ln -s /etc/hostname "$PALISADE_QUESTION_FILE"',
      'mkfifo "$PALISADE_QUESTION_FILE"',
    ]) {
      const { result } = await run({ agent: { run: { harness: 'command', command } } });
      expect(result.outcome, command).toBe('succeeded');
    }
  });

  test("what lay there before the agent ran is nobody's question", async () => {
    const { result } = await run({
      pipeline: [
        { kind: 'script', command: `echo '{"question":"q"}' > .palisade/needs_input.json` },
        { kind: 'agent' },
      ],
    });
    expect(result.outcome).toBe('succeeded');
  });

  test('a cancel counts for more than a question', async () => {
    const dir = attemptDir(makeSpec(asking('{"question":"q"}\nEND\nsleep 30; cat <<END')));
    const abort = new AbortController();
    const ended = runAttempt({ attemptDir: dir, sandboxes: providers, secrets: {}, signal: abort.signal });
    setTimeout(() => abort.abort(), 1_000);
    expect((await ended).outcome).toBe('canceled');
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

  test('DI-120: is told how to ask, by the real path, unless its settings say no', async () => {
    expect(await told({ prompt: 'The task.' })).toMatch(
      /^The task\.\n\n.*\/\S+\/\.palisade\/needs_input\.json /s,
    );
    expect(await told({ prompt: 'The task.' }, { may_ask: false })).toBe('The task.');
  });

  test('DI-119: is told the answer together with its task', async () => {
    const text = await told({
      prompt: 'The task.',
      answers: [answered({ question: 'Which?' }, 'That one.')],
    });
    expect(text).toContain('Question: Which?\nAnswer: That one.');
    expect(text).toContain('The task.');
  });

  test('EX-202 DI-119: goes on in the vendor session in which it asked, where its settings ask for that', async () => {
    const home = '"$CLAUDE_CONFIG_DIR/projects/-workspace"';
    const and = `rm outputs/env; mkdir -p ${home}; echo '{}' > ${home}/${ID}.jsonl; echo done > f`;
    const asks = `${and}; echo '{"question":"Which?"}' > "$PALISADE_QUESTION_FILE"`;
    const settings = { harness: 'claude-code' as const, resume: true };
    const first = await attemptOf(
      { ...settings, program: programDouble({ prints, and: asks }) },
      {},
      secrets,
    );
    expect(first.result.outcome).toBe('needs_input');
    const kept = (ref: string | undefined) => {
      const path = join(scratch(), 'kept');
      writeFileSync(path, first.bytesOf(ref ?? ''));
      return { ref: ref as ReturnType<typeof contentHash>, path };
    };
    const { agent_session: session, result_ref: patch } = first.result.product;
    const second = await attemptOf(
      { ...settings, program: programDouble({ prints, and }) },
      {
        attempt: 2,
        resume: { attempt: 1, session: { id: ID, ...kept(session?.state_ref) }, patch: kept(patch) },
        answers: [answered({ question: 'Which?' }, 'That one.')],
      },
      secrets,
    );
    expect(second.result.product.warnings ?? []).toEqual([]);
    expect(second.output('argv')).toContain(`--resume=${ID}`);
    expect(second.output('stdin')).toContain('Answer: That one.');
  });
});
