import { flag, flagName } from './declaration.ts';

/** Flags every command takes. */
export const globalFlags = {
  json: flag.string('FIELDS', 'print one JSON document; =field,… picks fields, =? lists them'),
  format: flag.choice(['text', 'ndjson', 'tsv', 'md', 'id'], 'print in another format'),
  quiet: flag.boolean('print no progress and no hints', { short: 'q' }),
  verbose: flag.boolean('say more about where answers come from', { short: 'v' }),
  progress: flag.choice(['live', 'report', 'none'], 'how progress is shown'),
  color: flag.choice(['auto', 'always', 'never'], 'when to use colour'),
  ascii: flag.boolean('draw with ASCII only'),
  utc: flag.boolean('show times in UTC'),
  input: flag.boolean('never ask; fail naming the flag that answers'),
  directory: flag.string('DIR', 'work as if started in DIR', { short: 'C' }),
  project: flag.string('KEY', 'the project that it is about'),
  actor: flag.string('WHO', 'recorded identity, such as human:ada'),
  session: flag.string('NAME', 'name of whoever works with a server here (default: default)'),
  stateDir: flag.string('DIR', 'absolute directory for changes that a server has not answered'),
  help: flag.boolean('explain the command', { short: 'h' }),
} as const;

/** The flags that every mutation adds. */
export const mutationFlags = {
  dryRun: flag.boolean('say what would happen and change nothing'),
  idempotencyKey: flag.string('KEY', 'repeat a call safely: the same key gets the first answer'),
} as const;

/** How a global flag is spelt; `input` exists only negated. */
export function globalFlagName(key: keyof typeof globalFlags): string {
  return key === 'input' ? 'no-input' : flagName(key);
}
