import {
  type CallContext,
  faultPoint,
  isHost,
  ITEM_TERMINAL,
  limits,
  messageHash,
  newId,
  PalisadeError,
  type sendMessage,
} from '@palisade/contracts';
import { answerOrRehearse, receiptOf, type ReadTx, type WriteTx } from '@palisade/kernel';
import { bumpControl, resolveRun, type RootRun, runStream } from '@palisade/runs';
import type * as z from 'zod';
import { assertMayExtend } from '../plans/held-to-caller.ts';
import type { PlanDeps } from '../plans/plan-deps.ts';
import { readPlan } from '../plans/stored-plan.ts';
import { insertMessage, messagesSent, type StoredMessage } from './channel-store.ts';
import { knownItem } from './known-item.ts';

type Input = z.output<(typeof sendMessage)['input']>;
type Output = z.output<(typeof sendMessage)['output']>;

/**
 * Sends a message to an item's agent, from any process: the message, its place in the ledger and the wish for the run's
 * owner are one commit. It says nothing of whether the agent reads it.
 *
 * @throws PalisadeError `invalid_state` for an item that has ended or takes no messages, `too_large` for a body or a
 *   number of messages above the limits, `credential_in_text` for what looks like one: it would reach a model
 */
export async function send(deps: PlanDeps, input: Input, context: CallContext): Promise<Output> {
  const bytes = assertBody(input.body);
  deps.scanText(input.body, 'the message');
  const wish = async (tx: WriteTx): Promise<Output> => {
    const run = await resolveRun(tx, context.project, input.run);
    // What an agent is told is work like what is added to its run.
    if (!isHost(context.caller)) assertMayExtend(run, await readPlan(tx, run), context.caller);
    const seq = (await assertOpen(tx, run, input.item)) + 1;
    const record = {
      message: newId('msg', tx.now),
      run_id: run.id,
      item_id: input.item,
      seq,
      actor: context.actor,
      sent_at: tx.now,
      body: input.body,
    };
    const message: StoredMessage = {
      id: record.message,
      run_id: run.id,
      item: input.item,
      seq,
      bytes,
      hash: messageHash(record),
      sent_by: context.actor,
      sent_at: tx.now,
      body: input.body,
    };
    await insertMessage(tx, message);
    await tx.journal.append(runStream(run.id), 'item.message_sent', {
      item: message.item,
      message: message.id,
      seq,
      actor: context.actor,
      bytes,
      message_hash: message.hash,
    });
    await bumpControl(tx, run.id);
    const { body: _body, ...sent } = message;
    return { message: sent };
  };
  const call = { receipt: receiptOf(context, 'messages.send'), request: input, dryRun: input.dry_run };
  const result = await answerOrRehearse(deps.database, call, wish);
  if (input.dry_run === true) return result;
  faultPoint('send.after-commit');
  deps.onControl(result.message.run_id);
  return result;
}

/** The length of a body that may be sent, in bytes. */
function assertBody(body: string): number {
  if (!body.isWellFormed()) throw new PalisadeError('invalid_input', 'the message is no text');
  if (body.trim() === '') throw new PalisadeError('invalid_input', 'the message says nothing');
  const bytes = Buffer.byteLength(body);
  if (bytes > limits.messageBytes)
    throw new PalisadeError(
      'too_large',
      `the message has ${bytes} bytes, ${limits.messageBytes} are allowed`,
      { next: 'send what is needed of it, or say where the agent finds it' },
    );
  return bytes;
}

/** How many messages an item was sent that may be sent another one. */
async function assertOpen(tx: ReadTx, run: RootRun, itemId: string): Promise<number> {
  const target = `${run.id}/${itemId}`;
  const state = await knownItem(tx, run.id, itemId);
  if (run.finishedAt !== null || ITEM_TERMINAL.has(state))
    throw new PalisadeError('invalid_state', `${target} has ended: ${state}`, {
      why: 'no agent of it will run any more',
      next: `palisade show ${run.id}`,
    });
  const sent = await messagesSent(tx, run.id, itemId);
  if (sent === undefined)
    throw new PalisadeError('invalid_state', `${target} takes no messages`, {
      why: 'its plan does not say that its agent reads them',
      next: 'give the item "channel": true and run the plan again',
    });
  if (sent >= limits.itemMessages)
    throw new PalisadeError('too_large', `${target} was sent ${sent} messages, no more are allowed`, {
      next: `palisade cancel ${target}`,
    });
  return sent;
}
