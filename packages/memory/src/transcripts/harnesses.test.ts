import { describe, expect, it } from 'vitest';
import { claude, TranscriptHome } from '../../test/transcript-home.ts';
import { listTranscripts } from './answers/list.ts';
import { searchTranscripts } from './answers/search.ts';
import { showTranscript } from './answers/show.ts';

const HARNESSES = [
  {
    harness: 'claude-code',
    fixture: 'claude-code/session-success-resume.jsonl',
    id: '728b9672-ee25-46db-92b1-0ca6604d8c09',
    version: '2.1.197',
    branch: 'main',
    said: 8,
  },
  {
    harness: 'codex',
    fixture: 'codex/rollout-exec-command.jsonl',
    id: '01a227cb-32b8-70f0-89d6-c80466a14fcd',
    version: '0.171.0',
    branch: null,
    said: 6,
  },
  {
    harness: 'gemini-cli',
    fixture: 'gemini-cli/session.jsonl',
    id: '77a52ed2-b018-4e74-9740-344f380713da',
    version: null,
    branch: null,
    said: 6,
  },
  {
    harness: 'copilot',
    fixture: 'copilot/events.jsonl',
    id: '3d49b0f8-e096-4013-9802-700ced1c6154',
    version: '1.0.102',
    branch: 'main',
    said: 6,
  },
  {
    harness: 'opencode',
    fixture: 'opencode/session-export.json',
    id: 'ses_dd834a5deffeZVO6E3nlKCN2fP',
    version: '1.18.33',
    branch: null,
    said: 6,
  },
] as const;

describe.each(HARNESSES)('$harness', ({ harness, fixture, id, version, branch, said: times }) => {
  it('WM-050, WM-051, WM-052, WM-053, L-22, FF-151: a recorded session is told by what is in it, wherever it lies', async () => {
    using home = new TranscriptHome();
    home.put(fixture, `archive/-another-place/x${fixture.slice(fixture.lastIndexOf('.'))}`);
    const report = await home.index({ include: [`${home.directory}/archive`], machine: 'laptop' });
    expect(report).toMatchObject({ added: 1, failed: 0, unclaimed: 0 });
    const session = showTranscript(home.database, id, { messages: { after: 0, limit: 100 } });
    expect(session).toMatchObject({
      harness,
      machine: 'laptop',
      cwd: '/workspace',
      git_branch: branch,
      cli_version: version,
      status: 'complete',
      truncated: false,
      last_agent_message: expect.stringMatching(/^Done: calc.py/),
      reading: { unknown_records: 0, malformed_lines: 0, oversized_lines: 0, skipped_bytes: 0 },
    });
    expect(session.first_user_message).toContain('Create calc.py with add() and test it.');
    expect(session.title).not.toBe('');
    expect(session.commands.some((command) => command.includes('print(calc.add(2,3))'))).toBe(true);
    expect(session.usage?.output_tokens).toBeGreaterThan(0);
    expect(session.tool_names.length).toBeGreaterThan(0);
    if (harness !== 'codex') expect(session.files_touched).toEqual(['/workspace/calc.py']);
    const said = session.messages?.filter(({ role }) => role === 'user' || role === 'assistant') ?? [];
    // D-07: each is there once, however often it is logged.
    expect(said).toHaveLength(times);
    expect(listTranscripts(home.database, { limit: 5, harness }).data).toHaveLength(1);
    const [hit] = searchTranscripts(home.database, { query: 'bug fixing', limit: 5 }).data;
    expect(hit).toMatchObject({ session: { id }, snippet: expect.stringContaining('There is a bug') });
  });
});

it('WM-053: what a harness puts into the conversation is not what a person said', async () => {
  using home = new TranscriptHome();
  home.put('codex/rollout-exec-command.jsonl', '.codex/sessions/2026/11/29/rollout-1.jsonl');
  await home.index();
  const [session] = listTranscripts(home.database, { limit: 1 }).data;
  expect(session?.title).toBe('Create calc.py with add() and test it.');
  expect(searchTranscripts(home.database, { query: 'environment_context', limit: 5 }).data).toEqual([]);
});

it('a side conversation belongs to its parent', async () => {
  using home = new TranscriptHome();
  home.put('claude-code/session-task.jsonl', '.claude/projects/-workspace/8f07.jsonl');
  home.put(
    'claude-code/session-task.subagent.jsonl',
    '.claude/projects/-workspace/8f07/subagents/agent-ad.jsonl',
  );
  await home.index();
  const { data } = listTranscripts(home.database, { limit: 5 });
  expect(data).toMatchObject([{ id: '8f07cc8b-530b-4ad9-8d06-c6af86b19664', side_count: 1 }]);
  const parent = showTranscript(home.database, '8f07cc8b');
  expect(parent.sides).toEqual(['8f07cc8b-530b-4ad9-8d06-c6af86b19664/ad08df8a72f45b549']);
  expect(showTranscript(home.database, 'ad08df8a').parent).toBe(parent.id);
  expect(listTranscripts(home.database, { limit: 5, hasSides: true }).data).toHaveLength(2);
});

it('D-07: what a model thinks is read, and what Codex logs in two ways is there once', async () => {
  using home = new TranscriptHome();
  home.write('.claude/projects/p/a.jsonl', [
    claude('assistant', [{ type: 'thinking', thinking: 'a marmot, perhaps', signature: 'x' }], {}),
  ]);
  const at = (second: number, type: string, payload: object): object => ({
    timestamp: `2026-11-29T14:00:0${second}.000Z`,
    type,
    payload,
  });
  const said = (role: string, type: string, text: string): object => ({
    type: 'message',
    role,
    content: [{ type, text }],
  });
  home.write('.codex/sessions/2026/11/29/rollout-1.jsonl', [
    at(0, 'session_meta', { id: 'c-1', cwd: '/home/ada/shop' }),
    at(1, 'response_item', said('user', 'input_text', 'find the lemur')),
    at(1, 'event_msg', { type: 'user_message', message: 'find the lemur' }),
    at(2, 'event_msg', { type: 'agent_message', message: 'found it' }),
    at(2, 'response_item', said('assistant', 'output_text', 'found it')),
    // Said again, it is there again.
    at(3, 'response_item', said('user', 'input_text', 'find the lemur')),
    at(3, 'event_msg', { type: 'user_message', message: 'find the lemur' }),
  ]);
  await home.index();
  const said1 = showTranscript(home.database, 's-1', { messages: { after: 0, limit: 9 } }).messages;
  expect(said1).toMatchObject([{ role: 'thinking', text: 'a marmot, perhaps' }]);
  const { messages } = showTranscript(home.database, 'c-1', { messages: { after: 0, limit: 9 } });
  expect(messages?.map(({ text }) => text)).toEqual(['find the lemur', 'found it', 'find the lemur']);
});
