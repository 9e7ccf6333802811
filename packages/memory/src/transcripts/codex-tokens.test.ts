import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { TranscriptHome } from '../../test/transcript-home.ts';
import { showTranscript } from './answers/show.ts';
import { transcriptStats } from './answers/stats.ts';

const FILE = '.codex/sessions/2026/11/29/rollout-1.jsonl';
const FORK = '.codex/sessions/2026/11/29/rollout-2.jsonl';

interface Line {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const RECORDED = readFileSync(
  fileURLToPath(new URL('../../fixtures/transcripts/codex/rollout-exec-command.jsonl', import.meta.url)),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Line);
/** As versions write it that have no record of each answer. */
const OLDER = RECORDED.filter(({ type }) => type !== 'token_usage_record');

let second = 0;
const at = (type: string, payload: object): object => ({
  timestamp: new Date(Date.UTC(2026, 10, 29, 14, 0, second++)).toISOString(),
  type,
  payload,
});
const tokens = (input: number, cached: number, output: number): object => ({
  input_tokens: input,
  cached_input_tokens: cached,
  output_tokens: output,
  reasoning_output_tokens: 0,
  total_tokens: input + output,
});
const counted = (total: object, last: object): object =>
  at('event_msg', {
    type: 'token_count',
    info: { total_token_usage: total, last_token_usage: last, model_context_window: 258_400 },
    rate_limits: {},
  });
const meta = (id: string): object => at('session_meta', { id, cwd: '/home/ada/shop' });
const turn = (model: string, id?: string): object =>
  at('turn_context', { cwd: '/home/ada/shop', model, ...(id === undefined ? {} : { turn_id: id }) });
const used = (input: number, output: number, read = 0): object => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_tokens: read,
  cache_write_tokens: 0,
});

describe('tokens of Codex', () => {
  it('FF-148: a recorded session is counted alike by its counts and by its answers, never by both', async () => {
    for (const records of [RECORDED, OLDER]) {
      using home = new TranscriptHome();
      home.write(FILE, records);
      await home.index();
      expect(transcriptStats(home.database)).toMatchObject({
        usage: used(7500, 250),
        by_model: [{ model: 'gpt-5-codex', answers: 5, ...used(7500, 250) }],
      });
    }
  });

  it('a count that is told again counts once, and each answer is of the model of its turn', async () => {
    using home = new TranscriptHome();
    const first = counted(tokens(1000, 400, 50), tokens(1000, 400, 50));
    home.write(FILE, [
      meta('c-1'),
      turn('gpt-5', 't-1'),
      at('event_msg', { type: 'token_count', info: null, rate_limits: {} }),
      first,
      first,
      turn('gpt-5-mini', 't-2'),
      // Told again when the session is gone on with.
      first,
      counted(tokens(3000, 1400, 90), tokens(2000, 1000, 40)),
    ]);
    await home.index();
    expect(showTranscript(home.database, 'c-1').usage).toEqual(used(1600, 90, 1400));
    expect(transcriptStats(home.database).by_model).toEqual([
      { model: 'gpt-5', answers: 1, ...used(600, 50, 400) },
      { model: 'gpt-5-mini', answers: 1, ...used(1000, 40, 1000) },
    ]);
  });

  it('what is read on is counted as what is read at once', async () => {
    using home = new TranscriptHome();
    const first = counted(tokens(1000, 0, 50), tokens(1000, 0, 50));
    const head = [meta('c-1'), turn('gpt-5', 't-1'), first];
    home.write(FILE, head);
    await home.index();
    home.write(FILE, [...head, first, counted(tokens(1800, 0, 60), tokens(800, 0, 10))]);
    expect(await home.index()).toMatchObject({ appended: 1 });
    expect(showTranscript(home.database, 'c-1').usage).toEqual(used(1800, 60));
  });

  it.each([
    ['turns have ids', 't-1', 't-2'],
    ['turns have none', undefined, undefined],
  ])('FF-149: what a fork repeats of another session is counted once, where %s', async (_, one, other) => {
    using home = new TranscriptHome();
    const shared = (): object[] => [
      meta('c-1'),
      turn('gpt-5', one),
      counted(tokens(1000, 0, 50), tokens(1000, 0, 50)),
    ];
    home.write(FILE, shared());
    home.write(FORK, [
      meta('c-2'),
      ...shared(),
      turn('gpt-5', other),
      counted(tokens(3000, 0, 60), tokens(2000, 0, 10)),
    ]);
    await home.index();
    expect(transcriptStats(home.database)).toMatchObject({ usage: used(3000, 60), repeated_answers: 1 });
    expect(showTranscript(home.database, 'c-2').usage).toEqual(used(3000, 60));
  });

  it('sessions alike in all numbers are two', async () => {
    using home = new TranscriptHome();
    for (const [file, id] of [
      [FILE, 'c-1'],
      [FORK, 'c-2'],
    ] as const)
      home.write(file, [meta(id), turn('gpt-5'), counted(tokens(1000, 0, 50), tokens(1000, 0, 50))]);
    await home.index();
    expect(transcriptStats(home.database).usage).toEqual(used(2000, 100));
  });

  it('what tells of no tokens used an unknown number of them', async () => {
    using home = new TranscriptHome();
    home.write(FILE, [
      meta('c-1'),
      at('event_msg', { type: 'user_message', message: 'find the lemur' }),
      at('event_msg', { type: 'token_count', info: null, rate_limits: {} }),
    ]);
    await home.index();
    expect(showTranscript(home.database, 'c-1')).toMatchObject({
      usage: null,
      reading: { unknown_records: 0 },
    });
    expect(transcriptStats(home.database)).toMatchObject({ usage: null, by_model: [] });
  });
});
