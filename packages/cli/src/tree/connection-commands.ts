import { argument, command, flag } from './declaration.ts';

export const apiCommand = command({
  path: 'api',
  summary: 'Call any operation by its id and print its answer; without one, list them',
  args: {
    operation: argument.optional('id of an operation, such as runs.get'),
    fields: argument.variadic('FIELD=VALUE of its input'),
  },
  flags: { input: flag.string('FILE', 'read the input from FILE, a JSON object; - is standard input') },
  effect: 'mutation',
  notes:
    'Fields are given alike wherever in a request they stand. A value is text where the field is text and JSON elsewhere; a list takes\none word for each entry. What may be secret is given by --input alone. Streams print one JSON line a frame.\nNo engine is started: without a server, pal watch starts one.',
});

export const retryCommand = command({
  path: 'retry',
  summary: 'Send the change whose outcome is not known again, exactly as it was, and print the answer',
  args: {},
  flags: { giveUp: flag.string('KEY', 'forget it instead, whatever became of it') },
  effect: 'read',
  notes:
    'Before a change is sent to a server it is written down; when no answer comes it may have been made or not. Sent again with the same\nkey it is never made twice. Until then nothing else is changed in this session.',
});

export const serverDiagnoseCommand = command({
  path: 'server diagnose',
  summary: 'Check what working with a server needs: state, lock, binding, credential, reachability, clock',
  args: {},
  flags: {},
  effect: 'read',
  notes: 'Nothing is changed, and no credential is sent or shown.',
});
