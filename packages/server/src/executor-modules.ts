import { type Executor, type ExecutorFactory, type ExecutorHost, PalisadeError } from '@palisade/contracts';
import { loadModules } from './operator-modules.ts';

/** The operator's variable: absolute paths of modules, separated as in PATH. */
export const EXECUTOR_MODULES = 'PALISADE_EXECUTOR_MODULES';

/**
 * Every executor of a control plane by name: ours, the operator's modules (each module's default export is an
 * `ExecutorFactory`), and those a program that embeds us brought along. Raises `requirements_unmet` for a module
 * that cannot be used, and when two have one name: items would go to either.
 */
export async function executorsOf(
  own: Executor,
  given: {
    readonly modules: string | undefined;
    readonly factories: readonly ExecutorFactory[];
    readonly host: ExecutorHost;
  },
): Promise<ReadonlyMap<string, Executor>> {
  const make = async (factory: ExecutorFactory): Promise<Executor | null> => {
    const executor: unknown = await factory(given.host);
    return isExecutor(executor) ? executor : null;
  };
  const loaded = await loadModules(
    { what: 'executor', variable: EXECUTOR_MODULES, make: (maker) => make(maker as ExecutorFactory) },
    given.modules,
  );
  const brought: Executor[] = [];
  for (const factory of given.factories) {
    const executor = await make(factory);
    if (executor === null)
      throw new PalisadeError('requirements_unmet', 'a function that was given does not make an executor');
    brought.push(executor);
  }
  const executors = new Map([[own.name, own]]);
  for (const executor of [...loaded, ...brought]) {
    if (executors.has(executor.name))
      throw new PalisadeError('requirements_unmet', `two executors are called ${executor.name}`, {
        next: `correct ${EXECUTOR_MODULES}`,
      });
    executors.set(executor.name, executor);
  }
  return executors;
}

function isExecutor(made: unknown): made is Executor {
  if (typeof made !== 'object' || made === null) return false;
  const { name, fire, recover, discard } = made as Partial<Record<keyof Executor, unknown>>;
  return (
    typeof name === 'string' &&
    name !== '' &&
    [fire, recover, discard].every((method) => typeof method === 'function')
  );
}
