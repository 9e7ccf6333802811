import { describe, expect, it } from 'vitest';
import { claude, TranscriptHome } from '../../test/transcript-home.ts';
import { searchByMeaning } from './answers/search-by-meaning.ts';
import { transcriptStats } from './answers/stats.ts';
import { chooseEmbedder } from './embedding/choose-embedder.ts';
import { embedTranscripts } from './embedding/embed-transcripts.ts';
import type { Embedder } from './embedding/embedder.ts';
import { endpointEmbedder } from './embedding/endpoint-embedder.ts';
import { localEmbedder } from './embedding/local-embedder.ts';

const { signal } = new AbortController();

/** Knows three matters. */
function double(model = 'm', fault?: () => void): Embedder & { texts: string[] } {
  const texts: string[] = [];
  return {
    provider: 'double',
    model,
    texts,
    piece: { length: 6000, overlap: 600 },
    embed: async (given) => {
      fault?.();
      texts.push(...given);
      return given.map((text) =>
        Float32Array.from(
          ['car|automobile', 'fruit|apple', 'tax'].map((matter) =>
            new RegExp(matter).test(text) ? 1 : 0.01,
          ),
        ),
      );
    },
  };
}

async function three(): Promise<TranscriptHome> {
  const home = new TranscriptHome();
  for (const [at, text] of ['an automobile is repaired', 'apple pie', 'the tax form'].entries())
    home.write(`.claude/projects/p/${at}.jsonl`, [claude('user', text, { session: `s${at}` })]);
  await home.index();
  return home;
}

const search = async (
  home: TranscriptHome,
  query: string,
  embedder: Embedder,
  isHybrid = false,
): Promise<string[]> =>
  (await searchByMeaning(home.database, { query, limit: 5, embedder, signal, isHybrid })).data.map(
    ({ session }) => session.id,
  );

describe('vectors', () => {
  it('WM-060, L-20: sessions are found by likeness, within one provider and model only', async () => {
    using home = await three();
    expect(await embedTranscripts(home.database, { embedder: double(), signal })).toMatchObject({
      sessions: 3,
      backlog: 0,
    });
    expect((await search(home, 'car', double()))[0]).toBe('s0');
    expect(await search(home, 'car', double('another'))).toEqual([]);
    const notes = async (query: string, embedder: Embedder, machine?: string) =>
      (
        await searchByMeaning(home.database, {
          query,
          machine,
          limit: 5,
          embedder,
          signal,
          isHybrid: false,
        })
      ).notes.join();
    expect(await notes('car', double('another'))).toMatch(
      /^nothing is embedded with double another: pal transcript embed; there is what was embedded with double m \(/,
    );
    expect(await notes('car', double(), 'elsewhere')).toMatch(
      /^no transcript of elsewhere is indexed; there are/,
    );
    const known = double();
    expect(await notes('car NOT tax', known)).toContain('NOT is of words');
    expect(known.texts).toEqual(['car']);
    expect(transcriptStats(home.database).embeddings).toEqual([
      { provider: 'double', model: 'm', chunks: 6, backlog: 0 },
    ]);
  });

  it('D-07: hybrid search has what either ranking has, what both have first', async () => {
    using home = await three();
    await embedTranscripts(home.database, { embedder: double(), signal });
    expect((await search(home, 'car tax', double(), true))[0]).toBe('s2');
    expect((await search(home, 'fruit', double(), true))[0]).toBe('s1');
  });

  it('L-21: a call that ends early is gone on with, and nothing is embedded twice', async () => {
    using home = await three();
    let calls = 0;
    const failing = double('m', () => {
      if (++calls === 2) throw new Error('gone');
    });
    await expect(embedTranscripts(home.database, { embedder: failing, signal })).rejects.toThrow('gone');
    const rest = double();
    expect(await embedTranscripts(home.database, { embedder: rest, signal })).toMatchObject({
      sessions: 2,
      backlog: 0,
    });
    expect([...failing.texts, ...rest.texts]).toHaveLength(6);
    expect(await embedTranscripts(home.database, { embedder: double(), signal })).toMatchObject({
      sessions: 0,
    });
    // The same text in another file has its vector already.
    home.write('.claude/projects/p/copy.jsonl', [claude('user', 'apple pie', { session: 's9' })]);
    await home.index();
    expect(await embedTranscripts(home.database, { embedder: double(), signal })).toMatchObject({
      sessions: 1,
      chunks: 2,
      reused: 2,
    });
  });

  it('D-07: an old archive that is included later is embedded too', async () => {
    using home = await three();
    await embedTranscripts(home.database, { embedder: double(), signal });
    home.write(
      'archive/old.jsonl',
      [claude('user', 'an old car', { session: 'old', timestamp: '2019-01-01T00:00:00.000Z' })],
      Date.UTC(2019, 0, 1),
    );
    await home.index({ include: [`${home.directory}/archive`] });
    expect(transcriptStats(home.database).embeddings).toMatchObject([{ backlog: 1 }]);
    await embedTranscripts(home.database, { embedder: double(), signal });
    expect(await search(home, 'car', double())).toContain('old');
    // FF-144: with the file its vectors go.
    await home.index({ forget: [`${home.directory}/archive`] });
    expect(home.database.get('SELECT count(*) AS n FROM vectors')).toEqual({ n: 6 });
  });

  it('the local one needs no network, and finds other forms of words', async () => {
    using home = await three();
    await embedTranscripts(home.database, { embedder: localEmbedder, signal });
    expect((await search(home, 'repairing automobiles', localEmbedder))[0]).toBe('s0');
    expect((await search(home, 'taxForms', localEmbedder))[0]).toBe('s2');
  });
});

describe('an endpoint', () => {
  const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
    new Response(JSON.stringify(body), { status, headers });
  const good = {
    data: [
      { index: 1, embedding: [2] },
      { index: 0, embedding: [1] },
    ],
  };

  function endpoint(
    answers: readonly Response[],
    more: object = {},
  ): { embedder: Embedder; waits: number[]; requests: Request[] } {
    const [waits, requests, left] = [[] as number[], [] as Request[], [...answers]];
    const embedder = endpointEmbedder({
      provider: 'p',
      model: 'm',
      baseUrl: 'http://localhost:9/v1/',
      fetch: async (url, init) => {
        requests.push(new Request(url, { ...init, signal: null }));
        const next = left.shift();
        if (next === undefined) throw new TypeError('fetch failed');
        return next;
      },
      wait: async (ms) => {
        waits.push(ms);
      },
      ...more,
    });
    return { embedder, waits, requests };
  }

  it('L-21: the delay that a server asks for is kept, in its header or in its words; else it doubles', async () => {
    const { embedder, waits, requests } = endpoint([
      answer(429, {}, { 'retry-after': '7' }),
      answer(429, { error: 'Please try again in 250ms.' }),
      answer(503, {}),
      answer(200, good),
    ]);
    expect(await embedder.embed(['a', 'b'], signal)).toEqual([Float32Array.of(1), Float32Array.of(2)]);
    expect(waits).toEqual([7000, 250, 8000]);
    expect(requests[0]?.url).toBe('http://localhost:9/v1/embeddings');
    expect(requests[0]?.headers.has('authorization')).toBe(false);
  });

  it('tries end, what asks for too long ends at once, and a refusal is not tried again', async () => {
    const never = endpoint([]);
    await expect(never.embedder.embed(['a'], signal)).rejects.toThrow('cannot be reached');
    expect(never.waits).toHaveLength(9);
    expect(Math.max(...never.waits)).toBe(30_000);
    const long = endpoint([answer(429, {}, { 'retry-after': '4000' })]);
    await expect(long.embedder.embed(['a'], signal)).rejects.toMatchObject({ code: 'provider_failed' });
    const refused = endpoint([answer(401, { error: 'bad key k-secret' })], { key: 'k-secret' });
    await expect(refused.embedder.embed(['a'], signal)).rejects.toThrow(/^p answered 401$/);
    expect([long.waits, refused.waits]).toEqual([[], []]);
  });

  it('WM-060: settings and their old names; a key goes where it belongs, and none is needed elsewhere', () => {
    expect(chooseEmbedder({ OPENAI_API_KEY: 'k' })).toBe(localEmbedder);
    expect(chooseEmbedder({ PALLIUM_EMBED_PROVIDER: 'ollama', PALLIUM_EMBED_MODEL: 'x' })).toMatchObject({
      provider: 'ollama',
      model: 'x',
    });
    expect(chooseEmbedder({ PALISADE_EMBED_BASE_URL: 'http://localhost:1/v1' })).toMatchObject({
      provider: 'localhost:1',
      model: 'text-embedding-3-small',
    });
    expect(chooseEmbedder({ PALISADE_EMBED_PROVIDER: 'openai', OPENAI_ADMIN_API_KEY: 'k' })).toMatchObject({
      provider: 'openai',
    });
    expect(() => chooseEmbedder({ PALISADE_EMBED_PROVIDER: 'openai' })).toThrow('wants a key');
    expect(() => chooseEmbedder({ PALISADE_EMBED_PROVIDER: 'else' })).toThrow('nothing says where');
    expect(() => chooseEmbedder({ PALISADE_EMBED_BASE_URL: 'ftp://x' })).toThrow('no http(s) address');
  });
});
