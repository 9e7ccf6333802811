import * as z from 'zod';
import { operation } from './operation.ts';
import { Name } from './schema.ts';

export const forgetSink = operation({
  id: 'sinks.forget',
  method: 'DELETE',
  path: '/v1/projects/{project}/sinks/{name}',
  summary: 'Keep results no longer for a sink that no program opens again',
  effect: 'mutation',
  access: 'system',
  input: z.strictObject({ name: Name }),
  output: z.strictObject({ name: Name, removed: z.boolean() }),
  errors: [],
});
