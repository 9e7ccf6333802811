import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ATTEMPT_FILES, InboxMessage } from '@palisade/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { AttemptDirectory } from './attempt-directory.ts';
import { Mailbox } from './mailbox.ts';

const message = (seq: number): InboxMessage => ({
  id: `msg_${String(seq).padStart(32, '0')}`,
  seq,
  body: `message ${seq}`,
  sent_at: seq,
});

/** A mailbox of an attempt with a worker whose files a test reads and writes itself. */
function rig(ready: Promise<boolean> = Promise.resolve(true)) {
  const root = mkdtempSync(join(tmpdir(), 'palisade-mailbox-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const directory = new AttemptDirectory(root, 'run_1');
  const told: number[] = [];
  const faults: unknown[] = [];
  const detach = new AbortController();
  const mailbox = new Mailbox({
    directory,
    ready,
    detached: detach.signal,
    onDelivered: (through) => told.push(through),
    onFault: (error) => faults.push(error),
  });
  const mailboxPath = join(directory.path, ATTEMPT_FILES.messages);
  const files = () => (existsSync(mailboxPath) ? readdirSync(mailboxPath).toSorted() : []);
  const confirm = (text: string) => writeFileSync(join(directory.path, ATTEMPT_FILES.delivered), text);
  return { root, directory, mailbox, told, faults, detach, files, confirm };
}

async function until(fact: () => boolean): Promise<void> {
  while (!fact()) await new Promise((resolve) => setTimeout(resolve, 10));
}

test('DI-121: messages become whole files in their order, and what the worker says of them is told with growing numbers', async () => {
  const { directory, mailbox, told, files, confirm, faults } = rig();
  await mkdir(directory.path);
  mailbox.put([message(1), message(2)]);
  // The same again, as a new owner hands all on, adds nothing.
  mailbox.put([message(1), message(2)]);
  await until(() => files().length === 2);
  expect(files()).toEqual(['1.json', '2.json']);
  const text = readFileSync(join(directory.path, ATTEMPT_FILES.messages, '2.json'), 'utf8');
  expect(InboxMessage.parse(JSON.parse(text))).toEqual(message(2));
  confirm('1');
  await until(() => told.length === 1);
  confirm('2');
  await until(() => told.length === 2);
  mailbox.put([message(3)]);
  await until(() => files().length === 3);
  confirm('3');
  // The worker is gone right after: nothing of what it said is missed.
  await mailbox.close();
  expect(told).toEqual([1, 2, 3]);
  mailbox.put([message(4)]);
  await mailbox.close();
  expect(files()).toHaveLength(3);
  expect(faults).toEqual([]);
});

test('DI-121: what an earlier owner had handed on is told by the next one, which hands nothing on', async () => {
  const { directory, mailbox, told, confirm } = rig();
  await mkdir(directory.path);
  confirm('2');
  await mailbox.close();
  expect(told).toEqual([2]);
});

test('DI-121: an attempt without a worker, or without a directory any more, gets no file and is no fault of the attempt', async () => {
  const none = rig(Promise.resolve(false));
  none.mailbox.put([message(1)]);
  await none.mailbox.close();
  expect(readdirSync(none.root)).toEqual([]);
  const gone = rig();
  gone.mailbox.put([message(1)]);
  await until(() => gone.faults.length === 1);
  await gone.mailbox.close();
  // The directory of an attempt that was given up is not made again.
  expect(readdirSync(gone.root)).toEqual([]);
  expect(gone.faults).toMatchObject([{ code: 'ENOENT' }]);
});

test.each(['', 'x', '-1', '1.5', '1e400', 'null'])(
  'DI-121: a worker that says %j has delivered nothing',
  async (text) => {
    const { directory, mailbox, told, confirm } = rig();
    await mkdir(directory.path);
    confirm(text);
    await mailbox.close();
    expect(told).toEqual([]);
  },
);

test('DI-121: a run that has a new owner hears nothing from the old one', async () => {
  const { directory, mailbox, told, confirm, detach, files } = rig();
  await mkdir(directory.path);
  mailbox.put([message(1)]);
  await until(() => files().length === 1);
  detach.abort();
  confirm('1');
  mailbox.put([message(2)]);
  await mailbox.close();
  expect([told, files()]).toEqual([[], ['1.json']]);
});
