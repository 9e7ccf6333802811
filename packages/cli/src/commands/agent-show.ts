import { type AgentView, getAgent } from '@palisade/contracts';
import { shellWords } from '@palisade/contracts/shell-words';
import type { agentShowCommand } from '../tree/registry-commands.ts';
import { byteSize } from '../output/time.ts';
import type { Handler } from './handler.ts';
import { blockText } from './pipeline-show.ts';
import { factLines, printHistory } from './registry-rows.ts';

/** `pal agent show NAME`: its revisions, and what its latest one is; never its prompts. */
export const execute: Handler<typeof agentShowCommand> = async (invocation, args) => {
  const answer = await invocation.call(getAgent, { name: args.name });
  const lines = answer.agent === null ? [] : agentLines(answer.agent);
  return printHistory(invocation, answer, 'agent', args.name, lines);
};

function agentLines(agent: AgentView): string[] {
  const { command, context_requires: requires = [], pipeline = [] } = agent;
  const size = (bytes: number | undefined): string | undefined =>
    bytes === undefined ? undefined : byteSize(bytes);
  return factLines([
    ['harness', agent.harness],
    ['command', typeof command === 'string' ? command : command && shellWords(command)],
    ['model', agent.model],
    ['endpoint', agent.model_endpoint],
    ['capability', agent.capabilities.map(({ name, hash }) => `${name} ${hash.slice(0, 19)}`).join(', ')],
    ['verify', agent.verify?.command],
    ['requires', requires.map((each) => JSON.stringify(each)).join(', ')],
    ['pipeline', pipeline.map(blockText).join('; ')],
    ['system', size(agent.system_prompt_bytes)],
    ['prompt', size(agent.prompt_template_bytes)],
  ]);
}
