import { type EventData, eventHash, canonicalJson, limits } from '@palisade/contracts';
import { expect, it } from 'vitest';
import { eachDatabase } from '../testing/index.ts';

const canceled = (item: string, reason = 'because'): EventData<'item.canceled'> => ({ item, reason });

eachDatabase('journal', (open) => {
  it('DI-222: events are numbered from 0 without a gap and each hash covers its predecessor', async () => {
    const database = await open();
    await database.write(async (tx) => {
      await tx.journal.append('run:a', 'item.canceled', canceled('one'));
      await tx.journal.append('run:b', 'item.canceled', canceled('other'));
      await tx.journal.append('run:a', 'item.canceled', canceled('two'));
    });
    await database.write((tx) => tx.journal.append('run:a', 'item.canceled', canceled('three')));
    const events = await database.read((tx) => tx.journal.read('run:a', -1, 10));
    expect(events.map((event) => event.seq)).toEqual([0, 1, 2]);
    let previous: string | null = null;
    for (const event of events) {
      const { stream, seq, type, at } = event;
      previous = eventHash({ stream, seq, type, at, data: canonicalJson(event.data) }, previous);
      expect(event.hash).toBe(previous);
    }
    expect(await database.read((tx) => tx.journal.head('run:a'))).toEqual({
      seq: 2,
      hash: previous,
      sealed: false,
    });
    expect(await database.read((tx) => tx.journal.read('run:a', 0, 1))).toEqual([events[1]]);
  });

  it('numbers appends of one body in the order they were called, even when nothing is awaited between', async () => {
    const database = await open();
    const events = await database.write((tx) =>
      Promise.all(
        ['a', 'b', 'c', 'd'].map((item) => tx.journal.append('run:a', 'item.canceled', canceled(item))),
      ),
    );
    expect(events.map(({ seq, data }) => [seq, data])).toEqual([
      [0, canceled('a')],
      [1, canceled('b')],
      [2, canceled('c')],
      [3, canceled('d')],
    ]);
  });

  it('FF-069: a body that fails after its appends leaves no event and no gap', async () => {
    const database = await open();
    await database.write((tx) => tx.journal.append('run:a', 'item.canceled', canceled('kept')));
    const refused = database.write(async (tx) => {
      await tx.journal.append('run:a', 'item.canceled', canceled('lost'));
      throw new Error('no');
    });
    const after = database.write((tx) => tx.journal.append('run:a', 'item.canceled', canceled('next')));
    await expect(refused).rejects.toThrow('no');
    expect((await after).seq).toBe(1);
    const events = await database.read((tx) => tx.journal.read('run:a', -1, 10));
    expect(events.map((event) => event.data)).toEqual([canceled('kept'), canceled('next')]);
  });

  it('FF-069: an insert that is refused fails its body even when the body swallows the error', async () => {
    const database = await open();
    await database.write((tx) => tx.journal.append('run:a', 'item.canceled', canceled('kept')));
    // Somebody damaged the head: the next number is taken.
    await database.write((tx) => tx.sql.run("UPDATE kernel_streams SET seq = -1 WHERE stream = 'run:a'"));
    const outcome = database.write(async (tx) => {
      await tx.journal.append('run:a', 'item.canceled', canceled('fork')).catch(() => undefined);
      return 'carried on';
    });
    await expect(outcome).rejects.toMatchObject({ name: 'PalisadeError' });
    expect(await database.read((tx) => tx.journal.read('run:a', -1, 10))).toHaveLength(1);
  });

  it('whoever is told of events is told within their unit of work, and what it writes or raises is part of it', async () => {
    const told: string[] = [];
    const database = await open({
      onEvents: async (tx, events) => {
        for (const { stream, seq, type } of events) {
          told.push(`${stream} ${seq} ${type}`);
          if (stream === 'run:refused') throw new Error('no');
          await tx.jobs.enqueue('tell', { stream, seq });
        }
      },
    });
    const end = (stream: string) =>
      database.write(async (tx) => {
        await tx.journal.append(stream, 'item.canceled', canceled('a'));
        await tx.journal.append(stream, 'item.canceled', canceled('b'));
      });
    const outcomes = await Promise.allSettled([end('run:a'), end('run:refused'), end('run:b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await database.write(async () => undefined);
    expect(new Set(told)).toEqual(
      new Set(['a 0', 'a 1', 'refused 0', 'b 0', 'b 1'].map((each) => `run:${each} item.canceled`)),
    );
    expect(await database.read((tx) => tx.journal.head('run:refused'))).toMatchObject({ seq: -1 });
    const jobs = await database.read((tx) => tx.sql.all('SELECT payload FROM kernel_jobs'));
    expect(jobs).toHaveLength(4);
  });

  it('what commits together is told together, in order', async () => {
    const told: string[][] = [];
    const database = await open({
      onEvents: async (_, events) => {
        told.push(events.map(({ stream }) => stream));
      },
    });
    const streams = ['run:a', 'run:b', 'run:c'];
    await Promise.all(
      streams.map((stream) =>
        database.write((tx) => tx.journal.append(stream, 'item.canceled', canceled('a'))),
      ),
    );
    if (database.dialect === 'sqlite') expect(told).toEqual([streams]);
    else expect(new Set(told.map(String))).toEqual(new Set(streams));
  });

  it('DI-226: a sealed stream refuses appends, and sealing again changes nothing', async () => {
    const database = await open();
    await database.write(async (tx) => {
      await tx.journal.append('run:a', 'item.canceled', canceled('one'));
      await tx.journal.seal('run:a');
    });
    const head = await database.read((tx) => tx.journal.head('run:a'));
    expect(head).toMatchObject({ seq: 0, sealed: true });
    const late = database.write((tx) => tx.journal.append('run:a', 'item.canceled', canceled('late')));
    await expect(late).rejects.toMatchObject({ code: 'ledger_sealed' });
    await database.write((tx) => tx.journal.seal('run:a'));
    expect(await database.read((tx) => tx.journal.head('run:a'))).toEqual(head);
  });

  it('DI-079: refuses an unknown type, data outside its schema and data above the limit', async () => {
    const database = await open();
    const append = (type: string, data: unknown) =>
      database.write((tx) => tx.journal.append('run:a', type as 'item.canceled', data as never));
    await expect(append('item.exploded', {})).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(append('toString', {})).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(append('item.canceled', { item: 'a' })).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(append('item.canceled', { item: 'a', reason: 'b', extra: 1 })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await expect(
      append('item.canceled', canceled('a', 'é'.repeat(limits.eventBytes / 2))),
    ).rejects.toMatchObject({ code: 'too_large' });
    expect(await database.read((tx) => tx.journal.head('run:a'))).toMatchObject({ seq: -1, hash: null });
  });

  it('FF-070: NULs, lone surrogates and any other text are recorded and read back', async () => {
    const database = await open();
    const hostile = `nul \0 esc \u001b sep \u2028 emoji 🙂 bytes ${Buffer.from([0xff, 0x80, 0]).toString('latin1')}`;
    await database.write(async (tx) => {
      await tx.journal.append('run:a', 'item.canceled', canceled('a', hostile));
      await tx.journal.append('run:a', 'item.canceled', canceled('a', 'half \ud83d of a pair'));
    });
    const events = await database.read((tx) => tx.journal.read('run:a', -1, 10));
    expect(events.map((event) => event.data)).toEqual([
      canceled('a', hostile),
      canceled('a', 'half \ufffd of a pair'),
    ]);
  });
});
