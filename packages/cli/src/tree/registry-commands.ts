import { argument, command, flag, pageFlags } from './declaration.ts';

export const agentRegisterCommand = command({
  path: 'agent register',
  summary: 'Register what can be run under a name',
  args: { name: argument.required('name of the agent') },
  flags: {
    file: flag.string('FILE', 'the whole definition as JSON; - reads standard input', { short: 'f' }),
    command: flag.string('SHELL', 'run this shell command'),
    harness: flag.choice(['claude-code', 'codex'], 'or run this coding agent'),
    modelEndpoint: flag.string('NAME', 'model endpoint of the coding agent'),
    promptFile: flag.string('FILE', 'prompt template'),
    systemFile: flag.string('FILE', 'system prompt'),
    model: flag.string('MODEL', 'model name'),
    capability: flag.list('NAME', 'capability to freeze into the agent'),
    verify: flag.string('SHELL', 'self-check after the agent'),
  },
  effect: 'mutation',
});

export const capabilityRegisterCommand = command({
  path: 'capability register',
  summary: 'Register a directory of files under a name',
  args: {
    name: argument.required('name of the capability'),
    source: argument.required('directory', 'file'),
  },
  flags: { allowPattern: flag.list('ID', 'accept this kind of credential-like text') },
  effect: 'mutation',
});

export const pipelineRegisterCommand = command({
  path: 'pipeline register',
  summary: 'Register blocks under a name, for items to name as their pipeline',
  args: {
    name: argument.required('name of the pipeline'),
    source: argument.required('JSON file: the list of blocks; - reads standard input', 'file'),
  },
  flags: { allowPattern: flag.list('ID', 'accept this kind of credential-like text') },
  effect: 'mutation',
  notes:
    'An item names it with "inputs": {"pipeline": "NAME"}, or pinned as NAME@sha256:…, and gets the blocks it means then.',
});

export const pipelineValidateCommand = command({
  path: 'pipeline validate',
  summary: 'Report every problem of a pipeline, offline',
  args: { source: argument.required('JSON file: the list of blocks; - reads standard input', 'file') },
  flags: { allowPattern: flag.list('ID', 'accept this kind of credential-like text') },
  effect: 'read',
});

export const envRegisterCommand = command({
  path: 'env register',
  summary: 'Register named values and secrets',
  args: { name: argument.required('name of the environment') },
  flags: {
    value: flag.list('K=V', 'a plain value'),
    secret: flag.list('K=REF', 'a stored secret by reference, e.g. TOKEN=secret:token'),
    secretFile: flag.list('K=FILE', 'store the content of FILE as a secret'),
    secretStdin: flag.string('K', 'store standard input as a secret'),
    allowPattern: flag.list('ID', 'accept this kind of credential-like text'),
  },
  effect: 'mutation',
});

export const modelEndpointSetCommand = command({
  path: 'model-endpoint set',
  summary: 'Say where a model is reached, and by which stored secret',
  args: { name: argument.required('name of the model endpoint') },
  flags: {
    kind: flag.choice(['anthropic', 'openai'], 'wire it speaks'),
    url: flag.string('URL', 'base address, without any key'),
    secret: flag.string('REF', 'stored secret that holds the credential, e.g. secret:model-key'),
    credential: flag.choice(['api-key', 'subscription'], 'what the secret is; default api-key'),
    private: flag.boolean('let the name lead to a private or loopback address'),
    defaultModel: flag.string('MODEL', 'model of agents that ask for none'),
    model: flag.list('LEVEL=MODEL', 'what fast, standard or max means here'),
  },
  effect: 'mutation',
  notes:
    'A private address that is written out needs no --private. Agents name the endpoint; they never see its credential.',
});

export const agentListCommand = command({
  path: 'agent list',
  summary: 'Registered agents',
  args: {},
  flags: pageFlags,
  effect: 'read',
});
export const capabilityListCommand = command({
  path: 'capability list',
  summary: 'Registered capabilities',
  args: {},
  flags: pageFlags,
  effect: 'read',
});
export const pipelineListCommand = command({
  path: 'pipeline list',
  summary: 'Registered pipelines',
  args: {},
  flags: pageFlags,
  effect: 'read',
});
export const envListCommand = command({
  path: 'env list',
  summary: 'Registered environments',
  args: {},
  flags: pageFlags,
  effect: 'read',
});

export const modelEndpointListCommand = command({
  path: 'model-endpoint list',
  summary: 'Registered model endpoints',
  args: {},
  flags: pageFlags,
  effect: 'read',
});

export const agentShowCommand = command({
  path: 'agent show',
  summary: "An agent's revisions",
  args: { name: argument.required('name') },
  flags: {},
  effect: 'read',
});
export const capabilityShowCommand = command({
  path: 'capability show',
  summary: "A capability's revisions",
  args: { name: argument.required('name') },
  flags: {},
  effect: 'read',
});
export const pipelineShowCommand = command({
  path: 'pipeline show',
  summary: "A pipeline's revisions",
  args: { name: argument.required('name') },
  flags: {},
  effect: 'read',
});
export const envShowCommand = command({
  path: 'env show',
  summary: "An environment's revisions and the names of its variables",
  args: { name: argument.required('name') },
  flags: {},
  effect: 'read',
});

export const envRemoveCommand = command({
  path: 'env remove',
  summary: 'Forget what an environment name means',
  args: { name: argument.required('name') },
  flags: {},
  effect: 'mutation',
  notes: 'Runs that were given it keep it, and its secrets stay stored.',
});

export const queueListCommand = command({
  path: 'queue list',
  summary: 'Queues: how many items may run at once, and how many do',
  args: {},
  flags: {},
  effect: 'read',
});
export const queueShowCommand = command({
  path: 'queue show',
  summary: 'One queue and the runs that use it',
  args: { name: argument.required('name', 'queue') },
  flags: {},
  effect: 'read',
});
export const queueSetCommand = command({
  path: 'queue set',
  summary: 'Create a queue, or change its limits',
  args: { name: argument.required('name', 'queue') },
  flags: {
    concurrency: flag.integer('N', 'items at once over all runs; 0 lets nothing start'),
    rate: flag.string('N/m', 'starts in a second, minute, hour or day, such as 30/m; none takes it away'),
    maxOpenRuns: flag.string('N', 'runs that have not ended; a further one is refused; none takes it away'),
    maxPriority: flag.string('N', 'highest priority a run may ask for'),
  },
  effect: 'mutation',
  notes:
    'What is not named stays as it is, and what runs already goes on. A plan names its queue with "queue"; without it, default.',
});
export const modelEndpointShowCommand = command({
  path: 'model-endpoint show',
  summary: 'Where a model endpoint leads, and its revisions',
  args: { name: argument.required('name') },
  flags: {},
  effect: 'read',
});

export const secretPutCommand = command({
  path: 'secret put',
  summary: 'Store a secret, read from standard input, a file or a hidden prompt',
  args: { name: argument.required('name of the secret') },
  flags: {
    file: flag.string('FILE', 'read the value from FILE; - waits for standard input', { short: 'f' }),
    ttl: flag.duration('refuse it after this long'),
  },
  effect: 'mutation',
  asks: { value: { words: 'value of the secret', flag: '--file FILE' } },
  notes: 'A value is never given as a flag: other users could see it. One line break at the end is dropped.',
});

export const secretListCommand = command({
  path: 'secret list',
  summary: 'Stored secrets, without values',
  args: {},
  flags: {},
  effect: 'read',
});
