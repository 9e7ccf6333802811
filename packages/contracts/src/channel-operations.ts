import * as z from 'zod';
import { MessageView, SentMessage } from './channel.ts';
import { operation } from './operation.ts';
import { Name } from './schema.ts';

const RunRef = z.string().min(1).max(200);

export const sendMessage = operation({
  id: 'messages.send',
  method: 'POST',
  path: '/v1/projects/{project}/runs/{run}/items/{item}/messages',
  summary: 'Send a message to the agent of an item, which finds it in its inbox while it runs',
  effect: 'mutation',
  access: 'write',
  input: z.strictObject({
    run: RunRef,
    item: Name,
    /** What is said; at most `limits.messageBytes` as UTF-8. */
    body: z.string(),
    dry_run: z.boolean().optional(),
  }),
  output: z.strictObject({ message: SentMessage }),
  errors: ['not_found', 'ambiguous_id', 'invalid_state', 'too_large', 'credential_in_text'],
});

export const listMessages = operation({
  id: 'messages.list',
  method: 'GET',
  path: '/v1/projects/{project}/runs/{run}/items/{item}/messages',
  summary: 'The messages sent to an item, oldest first, and which attempts they have come to',
  effect: 'read',
  access: 'read',
  input: z.strictObject({ run: RunRef, item: Name }),
  output: z.strictObject({ data: z.array(MessageView) }),
  errors: ['not_found', 'ambiguous_id'],
});
