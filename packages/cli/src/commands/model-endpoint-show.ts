import { getModelEndpoint, type ModelEndpointView, PalisadeError } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import { foreignLine } from '../output/foreign-text.ts';
import type { modelEndpointShowCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { catalogueLines } from './registry-rows.ts';

/** `pal model-endpoint show NAME`: where it leads, and its revisions. */
export const execute: Handler<typeof modelEndpointShowCommand> = async (invocation, args) => {
  const { endpoint, revisions } = await invocation.call(getModelEndpoint, { name: args.name });
  if (endpoint === null)
    throw new PalisadeError('not_found', `no model endpoint is named ${args.name}`, {
      next: 'pal model-endpoint list',
    });
  emit(invocation, {
    json: { endpoint, revisions },
    records: [endpoint],
    ids: [endpoint.name],
    text: () => [...endpointLines(endpoint), ...catalogueLines(invocation, revisions)],
  });
  return 0;
};

function endpointLines(endpoint: ModelEndpointView): string[] {
  const models = Object.entries(endpoint.models ?? {}).map(([level, model]) => `${level} = ${model}`);
  const said = [
    ['address', endpoint.url],
    ['wire', endpoint.kind],
    ['credential', endpoint.credential],
    ['private', endpoint.private === true ? 'yes' : ''],
    ['default', endpoint.default_model ?? ''],
    ['levels', models.join(', ')],
  ] as const;
  return said
    .filter(([, text]) => text !== '')
    .map(([what, text]) => `  ${what.padEnd(12)}${foreignLine(text)}`);
}
