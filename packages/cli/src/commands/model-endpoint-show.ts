import { getModelEndpoint, type ModelEndpointView } from '@palisade/contracts';
import type { modelEndpointShowCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { factLines, printHistory } from './registry-rows.ts';

/** `pal model-endpoint show NAME`: its revisions, and where its latest one leads; never its secret. */
export const execute: Handler<typeof modelEndpointShowCommand> = async (invocation, args) => {
  const answer = await invocation.call(getModelEndpoint, { name: args.name });
  const lines = answer.endpoint === null ? [] : endpointLines(answer.endpoint);
  return printHistory(invocation, answer, 'model-endpoint', args.name, lines);
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
  return factLines(said);
}
