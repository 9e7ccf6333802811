import { type EnvironmentInput, PalisadeError, type Plan, type PlanItem } from '@palisade/contracts';

type ItemInputs = NonNullable<PlanItem['inputs']>;

/** A secret of one unit of work: a stored one, or a value to be stored encrypted now. */
export type WorkSecrets = NonNullable<EnvironmentInput['secrets']>;

/** Where a run starts and what the operator grants it. */
export interface WorkBase {
  /** Absolute path of a git working tree; without one the workspace is empty at the start. */
  readonly repository?: string;
  /** Any revision of it; default `HEAD`. Uncommitted changes are not part of the run. */
  readonly base?: string;
  /** Sandbox provider by name; default is that of {@link OpenOptions}, else the strongest of this machine. */
  readonly sandbox_provider?: string;
}

/**
 * One unit of work: an item of a plan (docs/plan-reference.md), written flat, with what the run of it needs. It names what
 * to run in exactly one way: `agent`, `command` or `run`. There is no way to name the program that carries it out.
 */
export interface Work
  extends WorkBase,
    Pick<
      PlanItem,
      | 'agent'
      | 'command'
      | 'run'
      | 'prompt'
      | 'model'
      | 'verify'
      | 'retry'
      | 'timeout_seconds'
      | 'sandbox'
      | 'executor'
      | 'shape'
      | 'resourceLocks'
      | 'channel'
    >,
    Pick<ItemInputs, 'env' | 'capabilities' | 'addCapabilities' | 'inputRefs' | 'pipeline'> {
  /** Names the run. The same id with the same work is the same run, also in another process; with other work it is refused. */
  readonly id?: string;
  readonly title?: string;
  /** Any JSON; the agent finds it in the file `$PALISADE_INPUT` names. */
  readonly input?: ItemInputs['workerInput'];
  /**
   * Secrets of this work alone, by variable: `{ ref }` of a stored one, or `{ inline, ttl_ms? }`. They win over those of `env`.
   * Values are stored encrypted, and are in no event, log or evidence.
   */
  readonly secrets?: WorkSecrets;
  /** Queue whose limit holds; default `default`. */
  readonly queue?: string;
}

/** The only item of a run that was made of one unit of work. */
export const WORK_ITEM = 'work';

const ITEM_KEYS = [
  'agent',
  'command',
  'run',
  'prompt',
  'model',
  'verify',
  'retry',
  'timeout_seconds',
  'sandbox',
  'executor',
  'shape',
  'resourceLocks',
  'channel',
] as const;
const INPUT_KEYS = ['env', 'capabilities', 'addCapabilities', 'inputRefs', 'pipeline'] as const;
const OTHER_KEYS = ['id', 'title', 'secrets', 'input', 'queue', 'repository', 'base', 'sandbox_provider'];

/** The plan of one unit of work. `invalid_input` for a key it does not have; the plan's own problems show at submission. */
export function planOf(work: Work): Plan {
  const known = new Set<string>([...ITEM_KEYS, ...INPUT_KEYS, ...OTHER_KEYS]);
  const unknown = Object.keys(work).filter((key) => !known.has(key));
  if (unknown.length > 0)
    throw new PalisadeError('invalid_input', `a unit of work has no ${unknown.join(', ')}`, {
      issues: unknown.map((path) => ({ path, message: 'unknown key' })),
    });
  const inputs = {
    ...picked(work, INPUT_KEYS),
    ...(work.input === undefined ? {} : { workerInput: work.input }),
  };
  return {
    schema_version: 1,
    ...(work.id === undefined ? {} : { id: work.id }),
    ...(work.title === undefined ? {} : { title: work.title }),
    ...(work.queue === undefined ? {} : { queue: work.queue }),
    items: [
      {
        id: WORK_ITEM,
        ...picked(work, ITEM_KEYS),
        ...(Object.keys(inputs).length === 0 ? {} : { inputs }),
      },
    ],
  };
}

function picked<K extends keyof Work>(work: Work, keys: readonly K[]): Partial<Pick<Work, K>> {
  const found: Partial<Pick<Work, K>> = {};
  for (const key of keys) if (work[key] !== undefined) found[key] = work[key];
  return found;
}
