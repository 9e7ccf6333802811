import { describe, expect, test } from 'vitest';
import { detailOf, failing } from '../../test/judge.ts';
import { messagedStory, messageId, Messaging } from '../../test/messages.ts';
import { type Story, TestLog } from '../../test/story.ts';

const begun = () => new Messaging('run-m').submit(1).fireOpen('a');
const sealed = (story: Story) => new TestLog().seal(story);

describe('messages in a ledger', () => {
  test('DI-121: what is sent before, during and between attempts, and given to each of them, is in order', async () => {
    expect(failing(await sealed(messagedStory()))).toEqual([]);
  });

  test.each([
    ['a message is missing', begun().send('a', 1).send('a', 3).end(), 'was sent message 3, expected 2'],
    ['the first is not the first', begun().send('a', 2).end(), 'was sent message 2, expected 1'],
    [
      'one id stands for two',
      begun()
        .send('a', 1)
        .send('a', 2, { message: messageId(1) })
        .end(),
      'was sent before',
    ],
    [
      'it had ended',
      begun().reconcile('a', 'done').send('a', 1).complete('completed', { done: 1 }),
      'after it had ended',
    ],
    ['nobody had sent it', begun().send('a', 1).deliver('a', 2).end(), 'was given message 2, which nobody'],
    [
      'it is told twice',
      begun().send('a', 1).deliver('a', 1).deliver('a', 1).end(),
      'had been given message 1',
    ],
    [
      'no such attempt was in flight',
      begun().send('a', 1).reconcile('a', 'retrying').deliver('a', 1).fireOpen('a', 2).end('done', 2),
      'no such attempt in flight',
    ],
    [
      'it was given to another attempt',
      begun().send('a', 1).deliver('a', 1, 2).end(),
      'no such attempt in flight',
    ],
  ])('DI-121: a ledger in which %s fails', async (_, story, detail) => {
    const bundle = await sealed(story);
    expect(failing(bundle)).toContain('chain');
    expect(detailOf(bundle, 'chain')).toContain(detail);
  });

  test('DI-121: an item whose manifest says nothing of a channel is sent nothing', async () => {
    const story = new Messaging('run-m').submit(1).fireOpen('a', 1, {}).send('a', 1).end();
    const bundle = await sealed(story);
    expect(failing(bundle)).toContain('manifest');
    expect(detailOf(bundle, 'manifest')).toContain('nothing of a channel');
  });
});
