import { argument, command, flag } from './declaration.ts';

const name = { name: argument.required('name of the endpoint') };

export const webhookSetCommand = command({
  path: 'webhook set',
  summary: 'Create a webhook endpoint, change it, replace its key, or enable it again',
  args: name,
  flags: {
    url: flag.string('URL', 'where messages are posted'),
    secret: flag.string('generated|@FILE', 'signing key: make one, or read it; @- reads standard input'),
    overlap: flag.duration('how long a replaced key signs beside the new one; default 24h'),
    bearer: flag.string('REF', 'stored secret to send as a bearer token, e.g. secret:token; none for none'),
    allowPrivate: flag.boolean('let the address lead to this machine or a private network'),
  },
  effect: 'mutation',
  notes:
    'A new endpoint gets a generated key, which is shown once. Plans name the endpoint in "notifications"; they never give an address or a key.',
});

export const webhookListCommand = command({
  path: 'webhook list',
  summary: 'Webhook endpoints, and what waits for them',
  args: {},
  flags: {},
  effect: 'read',
});

export const webhookShowCommand = command({
  path: 'webhook show',
  summary: 'One webhook endpoint and its last messages',
  args: name,
  flags: {},
  effect: 'read',
});

export const webhookRmCommand = command({
  path: 'webhook rm',
  summary: 'Forget a webhook endpoint and its keys',
  args: name,
  flags: {},
  effect: 'mutation',
});

export const webhookTestCommand = command({
  path: 'webhook test',
  summary: 'Send one signed message now, and say how it was received',
  args: name,
  flags: {},
  effect: 'mutation',
});

export const webhookDeliveriesCommand = command({
  path: 'webhook deliveries',
  summary: 'Messages that were not delivered',
  args: { name: argument.optional('only of this endpoint') },
  flags: {
    all: flag.boolean('also those that wait or were delivered'),
    limit: flag.limit('at most N messages (default 20)'),
    cursor: flag.string('CURSOR', 'continue a listing'),
  },
  effect: 'read',
});

export const webhookReplayCommand = command({
  path: 'webhook replay',
  summary: 'Send messages again, under the ids they had',
  args: { ids: argument.variadic('ids of messages') },
  flags: { endpoint: flag.string('NAME', 'all that were not delivered to this endpoint') },
  effect: 'mutation',
});
