import { argument, command, flag } from './declaration.ts';

export const initCommand = command({
  path: 'init',
  summary: 'Set up a control plane for this project',
  args: {},
  flags: {},
  effect: 'mutation',
});

export const demoCommand = command({
  path: 'demo',
  summary: 'See the whole thing work on a throw-away project',
  args: {},
  flags: {
    keep: flag.boolean('leave the throw-away project in place'),
    sandbox: flag.string('NAME', 'sandbox provider (default: the strongest on this machine)'),
  },
  effect: 'read',
});

export const doctorCommand = command({
  path: 'doctor',
  summary: 'Check this machine and this project',
  args: {},
  flags: {},
  effect: 'read',
});

export const metricsCommand = command({
  path: 'metrics',
  summary: 'Figures for monitoring, as Prometheus reads them',
  args: {},
  flags: { out: flag.string('FILE', 'replace FILE in one step, for a textfile collector', { short: 'o' }) },
  effect: 'read',
  notes:
    'Counters follow what is committed, of all engines together, and go on after restarts and when runs are removed.',
});

export const gcCommand = command({
  path: 'gc',
  summary: 'Remove expired data and content nothing refers to, now',
  args: {},
  flags: {},
  effect: 'mutation',
  notes:
    'An engine does the same once a day. Runs are kept for ever unless PALISADE_RETENTION_DAYS says how long;\nwhat a kept run, its evidence or the registry refers to always stays, and so does what is younger than a day.',
});

export const configGetCommand = command({
  path: 'config get',
  summary: 'Print a setting, or all of them',
  args: { key: argument.optional('setting', 'key') },
  flags: {},
  effect: 'read',
});

export const configSetCommand = command({
  path: 'config set',
  summary: 'Change a setting of the user or of this repository',
  args: { key: argument.required('setting', 'key'), value: argument.required('value') },
  flags: { repo: flag.boolean("write this repository's .palisade.toml instead of the user's file") },
  effect: 'mutation',
});

export const configUnsetCommand = command({
  path: 'config unset',
  summary: 'Take a setting of the user or of this repository back',
  args: { key: argument.required('setting', 'key') },
  flags: { repo: flag.boolean("change this repository's .palisade.toml instead of the user's file") },
  effect: 'mutation',
});

export const configExplainCommand = command({
  path: 'config explain',
  summary: 'Where a setting comes from: every layer and the winner',
  args: { key: argument.required('setting', 'key') },
  flags: {},
  effect: 'read',
});

export const completionCommand = command({
  path: 'completion',
  summary: 'Print a completion script',
  args: { shell: argument.required('bash, zsh, fish or powershell', 'shell') },
  flags: {},
  effect: 'read',
});

export const helpCommand = command({
  path: 'help',
  summary: 'Explain a command or a topic: exit-codes, env, json, agents',
  args: { topic: argument.variadic('command or topic', 'topic') },
  flags: {},
  effect: 'read',
});

export const versionCommand = command({
  path: 'version',
  summary: 'Print versions',
  args: {},
  flags: {},
  effect: 'read',
});
