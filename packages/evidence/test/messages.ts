import { contentHash, type EventData, type EvidenceBundle, type Manifest } from '@palisade/contracts';
import { Story, TestLog } from './story.ts';

/** The id of the n-th message of a run that is told. */
export const messageId = (n: number): string => `msg_${String(n).padStart(32, '0')}`;

/** A run whose items take messages. */
export class Messaging extends Story {
  fireOpen(item: string, attempt = 1, change: Partial<Manifest> = { channel: true }): this {
    return this.fire(item, attempt, [], change);
  }

  send(item: string, seq: number, change: Partial<EventData<'item.message_sent'>> = {}): this {
    return this.tell('item.message_sent', {
      item,
      message: messageId(seq),
      seq,
      actor: 'human:bob',
      bytes: 12,
      message_hash: contentHash(`message ${seq}`),
      ...change,
    });
  }

  deliver(item: string, through: number, attempt = 1): this {
    const run = `${this.runId}-${item}-${attempt}`;
    return this.tell('item.messages_delivered', { item, attempt, run, through });
  }

  end(status: 'done' | 'failed' = 'done', attempt = 1): this {
    return this.reconcile('a', status, attempt).complete(status === 'done' ? 'completed' : 'failed', {
      [status]: 1,
    });
  }
}

/** Sent before it began, while it ran, and to its second attempt, which is given all again; and to an item that is never fired. */
export const messagedStory = (runId = 'run-messages'): Messaging =>
  new Messaging(runId)
    .submit(2)
    .send('b', 1, { message: messageId(9) })
    .send('a', 1)
    .fireOpen('a')
    .start('a')
    .deliver('a', 1)
    .send('a', 2)
    .deliver('a', 2)
    .reconcile('a', 'retrying')
    .fireOpen('a', 2)
    .deliver('a', 2, 2)
    .send('a', 3)
    .reconcile('a', 'failed', 2)
    .tell('item.skipped', { item: 'b', because: 'a' })
    .complete('failed', { failed: 1, skipped: 1 });

/** What the vectors hold of messages: sealed by the installation itself, so that only the rules can find out what is wrong. */
export async function messagedBundles(): Promise<readonly (readonly [string, string, EvidenceBundle])[]> {
  const log = new TestLog();
  const one = (runId: string) => new Messaging(runId).submit(1).fireOpen('a');
  const bundles: (readonly [string, string, EvidenceBundle])[] = [];
  for (const [name, about, story] of [
    [
      'intact-messages',
      'an agent was sent messages, and each of its attempts was given them',
      messagedStory(),
    ],
    ['messages-gap', 'sealed with a message that is missing', one('run-gap').send('a', 1).send('a', 3).end()],
    ['messages-unsent', 'sealed with a message that nobody sent', one('run-unsent').deliver('a', 1).end()],
    [
      'messages-undeclared',
      'sealed with messages to an agent that was not authorised to get any',
      new Messaging('run-undeclared').submit(1).fireOpen('a', 1, {}).send('a', 1).deliver('a', 1).end(),
    ],
  ] as const)
    bundles.push([name, about, await log.seal(story)]);
  return bundles;
}
