// The direction rule: contracts <- kernel <- identity, evidence, runs <- fifth rank <- server <- cli.
const only = (room, allowed) => ({
  name: `${room}-direction`,
  comment: `${room} may depend on: ${allowed.join(', ') || 'nothing of ours'}`,
  severity: 'error',
  from: { path: `^packages/${room}/`, pathNot: '\\.test\\.ts$|/test/' },
  to: { path: '^packages/', pathNot: `^packages/(${[room, ...allowed].join('|')})/` },
});
const rooms = {
  contracts: [],
  process: ['contracts'],
  kernel: ['contracts', 'process'],
  identity: ['contracts', 'kernel'],
  evidence: ['contracts'],
  workspace: ['contracts', 'process'],
  worker: ['contracts', 'process', 'workspace'],
  'providers/[^/]+': ['contracts', 'process'],
  runs: ['contracts', 'process', 'kernel', 'evidence', 'workspace'],
  dispatch: ['contracts', 'kernel', 'evidence', 'runs', 'workspace'],
  automation: ['contracts', 'kernel'],
  memory: ['contracts', 'process', 'workspace'],
  server: [
    'contracts',
    'process',
    'kernel',
    'identity',
    'evidence',
    'runs',
    'dispatch',
    'automation',
    'memory',
    'worker',
    'workspace',
    'providers',
  ],
  client: ['contracts'],
  embed: ['contracts', 'server'],
  cli: ['contracts', 'client', 'process', 'server', 'evidence', 'workspace', 'memory'],
};
export default {
  forbidden: [
    ...Object.entries(rooms).map(([room, allowed]) => only(room, allowed)),
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.mts', '.js', '.mjs'],
    },
  },
};
