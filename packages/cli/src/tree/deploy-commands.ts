import { argument, command, flag } from './declaration.ts';

const adopt = flag.boolean('also change names that were registered otherwise, and own them from now on');

export const deployCommand = command({
  path: 'deploy',
  summary: 'Register everything a manifest says',
  args: {},
  flags: {
    from: flag.string('FILE', 'manifest (default: palisade.yaml)', { short: 'f' }),
    prune: flag.boolean(
      'remove what earlier deployments of this manifest made and it does not have any more',
    ),
    adopt,
    yes: flag.boolean('remove without asking'),
  },
  effect: 'mutation',
  asks: { prune: { words: 'remove these names', flag: '--yes' } },
  notes:
    'Everything is checked before anything is changed. Secrets are never in a manifest: it names stored ones, or\nvariables and files to take them from now. A removed name can be registered again; runs that were given it keep it.',
});

export const capabilitySyncCommand = command({
  path: 'capability sync',
  summary: 'Register the skills of a directory as capabilities',
  args: { directory: argument.optional('directory (default: here)', 'file') },
  flags: {
    convention: flag.choice(['claude-code', 'codex'], 'where skills lie (default: claude-code)'),
    rebind: flag.boolean('bind agents to the new content of their capabilities'),
    adopt,
  },
  effect: 'mutation',
  notes:
    'claude-code: every directory with a SKILL.md under .claude/skills. codex: under .agents/skills. Nothing of a\ndirectory is run or trusted; links are not followed.',
});

export const agentSyncCommand = command({
  path: 'agent sync',
  summary: 'Register the agents a directory describes',
  args: { directory: argument.optional('directory (default: here)', 'file') },
  flags: { modelEndpoint: flag.string('NAME', 'model endpoint of the agents'), adopt },
  effect: 'mutation',
  notes:
    'Reads .claude/agents/*.md: name, model and tools of the front matter, and the body as system prompt. Every\nother field is named and left alone: a repository chooses no program, sandbox, network or environment.',
});

export const agentStaleCommand = command({
  path: 'agent stale',
  summary: 'Agents that are bound to older content of their capabilities',
  args: { name: argument.optional('name of the agent') },
  flags: {},
  effect: 'read',
});

export const agentRebindCommand = command({
  path: 'agent rebind',
  summary: 'Bind agents to the present content of their capabilities',
  args: { names: argument.variadic('names of agents') },
  flags: { all: flag.boolean('every agent that is bound to older content') },
  effect: 'mutation',
});

const removed = (noun: string, kept: string) =>
  command({
    path: `${noun} remove`,
    summary: `Forget what ${noun === 'agent' ? 'an' : 'a'} ${noun} name means`,
    args: { name: argument.required('name') },
    flags: {},
    effect: 'mutation',
    notes: `${kept} Its revisions stay under their addresses, and the name can be registered again.`,
  });
export const agentRemoveCommand = removed('agent', 'Runs that were given it keep it.');
export const capabilityRemoveCommand = removed('capability', 'Agents that are bound to its content keep it.');
export const pipelineRemoveCommand = removed('pipeline', 'Runs that were given it keep it.');
export const modelEndpointRemoveCommand = removed('model-endpoint', 'Runs that were given it keep it.');
