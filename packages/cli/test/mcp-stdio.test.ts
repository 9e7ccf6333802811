import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MutationJournal } from '../src/server/mutation-journal.ts';
import { type Send, StdioAdapter } from '../src/mcp/stdio-adapter.ts';

type Json = Readonly<Record<string, unknown>>;

function directory(): string {
  const home = mkdtempSync(join(tmpdir(), 'palisade-journal-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return join(home, 'state');
}

const TOKEN = 'pal_canary';
const opened = (at: string, origin = 'https://a.example', token = TOKEN) =>
  MutationJournal.open(at, origin, token);

const good = { content: [{ type: 'text', text: '{}' }], structuredContent: {} };
const problem = (status: number, retryable: boolean) => ({
  isError: true,
  content: [{ type: 'text', text: JSON.stringify({ code: 'x', status, retryable }) }],
});

/** An adapter over a journal, with a server that a test speaks for. */
async function adapter(at: string, reply: (message: Json) => Json) {
  const sent: Json[] = [];
  const send: Send = async (message) => {
    sent.push(message);
    return { jsonrpc: '2.0', id: message['id'], result: reply(message) };
  };
  const journal = await opened(at);
  const speaks = new StdioAdapter(journal, send);
  let id = 0;
  const call = async (name: string, args: Json = {}) => {
    id += 1;
    const line = JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: args },
    });
    const { result } = (await speaks.answer(line)) as {
      result: { isError?: boolean; content: { text: string }[] };
    };
    return { isError: result.isError === true, told: JSON.parse(result.content[0]?.text ?? '') as Json };
  };
  return { sent, journal, call, speaks };
}

const change = (n: number) => ({ idempotency_key: `k${n}`, n });

describe('the journal of changes', () => {
  it('AO-140: refuses what is not its own alone: in use, reached by others, links, other files, damage, another identity', async () => {
    const at = directory();
    const first = await opened(at);
    await expect(opened(at)).rejects.toThrow('another adapter uses');
    first.close();
    await expect(opened(at, 'https://b.example')).rejects.toThrow('another server or credential');
    await expect(opened(at, 'https://a.example', 'other')).rejects.toThrow('another server or credential');
    (await opened(at)).close();
    expect(readFileSync(join(at, 'journal.db'), 'latin1')).not.toContain(TOKEN);
    chmodSync(at, 0o755);
    await expect(opened(at)).rejects.toThrow('others can reach');
    chmodSync(at, 0o700);
    writeFileSync(join(at, 'more'), '');
    await expect(opened(at)).rejects.toThrow('something else');
    rmSync(join(at, 'more'));
    writeFileSync(join(at, 'journal.db'), 'x'.repeat(10_000));
    await expect(opened(at)).rejects.toThrow('cannot be used');
    rmSync(join(at, 'journal.db'));
    symlinkSync('/etc/passwd', join(at, 'journal.db'));
    await expect(opened(at)).rejects.toThrow('something else');
    const link = directory();
    symlinkSync(at, link);
    await expect(opened(link)).rejects.toThrow('no directory');
    await expect(opened('relative')).rejects.toThrow('absolute');
    const deep = directory();
    await expect(opened(join(deep, 'missing'))).rejects.toThrow('cannot be used');
    mkdirSync(deep, { mode: 0o700 });
    (await opened(deep)).close();
  });
});

describe('an adapter on standard input and output', () => {
  it('AO-142 AO-143: a change without an answer is sent again exactly, by another process too, and nothing else is changed before', async () => {
    const at = directory();
    const lost = await adapter(at, ({ params }) => {
      if ((params as { name: string }).name === 'plans_submit') throw new TypeError('canary-of-a-fault');
      return good;
    });
    const cut = await lost.call('plans_submit', change(1));
    expect(cut).toMatchObject({ isError: true, told: { code: 'upstream_failed' } });
    expect(JSON.stringify(cut)).not.toContain('canary');
    expect(await lost.call('runs_cancel', change(2))).toMatchObject({ told: { code: 'invalid_state' } });
    expect(await lost.call('runs_list')).toMatchObject({ isError: false });
    expect(await lost.call('transport_status')).toMatchObject({
      told: {
        durable_mutation_journal: true,
        harness_session: null,
        pending: { tool: 'plans_submit', idempotency_key: 'k1' },
      },
    });
    lost.journal.close();
    const next = await adapter(at, () => good);
    expect(await next.call('runs_cancel', change(2))).toMatchObject({ told: { code: 'invalid_state' } });
    expect(await next.call('plans_submit', { ...change(1), n: 9 })).toMatchObject({
      told: { code: 'idempotency_mismatch' },
    });
    expect(next.sent).toEqual([]);
    expect(await next.call('transport_retry')).toMatchObject({ isError: false });
    expect(next.sent[0]?.['params']).toEqual(lost.sent[0]?.['params']);
    expect(await next.call('runs_cancel', change(2))).toMatchObject({ isError: false });
    expect(await next.call('transport_retry')).toMatchObject({ isError: false });
    expect(next.sent.at(-1)?.['params']).toMatchObject({ name: 'runs_cancel', arguments: change(2) });
    next.journal.close();
  });

  it('AO-144: only an answer after which nothing is open makes way for the next change', async () => {
    for (const [answer, isOpen] of [
      [good, false],
      [problem(404, false), false],
      [problem(409, false), false],
      [problem(503, true), true],
      [problem(500, false), true],
      [problem(429, true), true],
      [{ isError: true, content: [{ type: 'text', text: 'nonsense' }] }, true],
      [{}, true],
    ] as const) {
      const { call, journal } = await adapter(directory(), ({ params }) =>
        (params as { name: string }).name === 'one' ? answer : good,
      );
      await call('one', change(1)).catch(() => {});
      const { told } = await call('transport_status');
      expect([answer, told['pending'] !== null]).toEqual([answer, isOpen]);
      journal.close();
    }
  });

  it('AO-138: offers two tools of its own, no method beyond tools, and survives lines that are none', async () => {
    const { speaks, journal } = await adapter(directory(), () => ({ tools: [{ name: 'runs_get' }] }));
    const answer = (line: unknown) => speaks.answer(typeof line === 'string' ? line : JSON.stringify(line));
    const listed = await answer({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(JSON.stringify(listed)).toMatch(/runs_get.*transport_status.*transport_retry/);
    for (const line of ['{', '[]', '7', 'null', { id: 1 }, { id: 1, method: 'resources/list' }])
      expect(await answer(line)).toMatchObject({ error: { code: expect.any(Number) } });
    expect(await answer({ jsonrpc: '2.0', id: 1, method: 'tools/call' })).toMatchObject({
      error: { code: -32_602 },
    });
    expect(await answer({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBeNull();
    expect(await answer({ jsonrpc: '2.0', method: 'nonsense' })).toBeNull();
    journal.close();
  });
});
