import type { EventData } from '@palisade/contracts';

/*
 * What a ledger must tell of messages to an item's agent (DI-121). They are numbered from 1 without a gap, each has an id of
 * its own, and none is sent to an item that has ended. An attempt is given them from the first, up to one that was
 * sent, and further each time this is told of it.
 */

type Report = (problem: string) => void;

/** The messages of one item, entry by entry. */
export class MessageStory {
  #sent = 0;
  /** The last message that the attempt in flight was given. */
  #given = 0;

  fire(): void {
    this.#given = 0;
  }

  /** @param ids of the run's messages so far */
  send(
    { item, seq, message }: EventData<'item.message_sent'>,
    hasEnded: boolean,
    ids: Set<string>,
    say: Report,
  ): void {
    if (hasEnded) say(`item ${item} was sent a message after it had ended`);
    if (seq !== this.#sent + 1) say(`item ${item} was sent message ${seq}, expected ${this.#sent + 1}`);
    if (ids.has(message)) say(`message ${message} was sent before`);
    ids.add(message);
    this.#sent = seq;
  }

  deliver({ item, attempt, through }: EventData<'item.messages_delivered'>, say: Report): void {
    if (through > this.#sent)
      say(`item ${item} attempt ${attempt} was given message ${through}, which nobody had sent`);
    if (through <= this.#given)
      say(`item ${item} attempt ${attempt} had been given message ${through} before`);
    this.#given = through;
  }
}
