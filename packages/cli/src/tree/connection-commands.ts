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
