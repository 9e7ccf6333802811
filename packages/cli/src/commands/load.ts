import type { Invocation } from '../invocation.ts';

type AnyHandler = (
  invocation: Invocation,
  args: Readonly<Record<string, unknown>>,
  flags: Readonly<Record<string, unknown>>,
) => Promise<number>;

// The tree's declaration of the same path is what was parsed, so the values have the handler's types.
const loaders: Readonly<Record<string, () => Promise<{ readonly execute: unknown }>>> = {
  run: () => import('./run.ts'),
  watch: () => import('./watch.ts'),
  status: () => import('./status.ts'),
  show: () => import('./show.ts'),
  logs: () => import('./logs.ts'),
  events: () => import('./events.ts'),
  explain: () => import('./explain.ts'),
  extend: () => import('./extend.ts'),
  close: () => import('./close.ts'),
  inbox: () => import('./inbox.ts'),
  answer: () => import('./answer.ts'),
  approve: () => import('./approve.ts'),
  deny: () => import('./deny.ts'),
  cancel: () => import('./cancel.ts'),
  pause: () => import('./pause.ts'),
  resume: () => import('./resume.ts'),
  budget: () => import('./budget.ts'),
  usage: () => import('./usage.ts'),
  rerun: () => import('./rerun.ts'),
  'plan validate': () => import('./plan-validate.ts'),
  'plan render': () => import('./plan-render.ts'),
  'artifact get': () => import('./artifact-get.ts'),
  'evidence show': () => import('./evidence-show.ts'),
  'evidence export': () => import('./evidence-export.ts'),
  'evidence trust-root': () => import('./evidence-trust-root.ts'),
  'evidence rotate-key': () => import('./evidence-rotate-key.ts'),
  verify: () => import('./verify.ts'),
  'agent register': () => import('./agent-register.ts'),
  'agent list': () => import('./agent-list.ts'),
  'agent show': () => import('./agent-show.ts'),
  deploy: () => import('./deploy.ts'),
  'agent remove': () => import('./name-remove.ts').then(({ removeAgentName: execute }) => ({ execute })),
  'agent sync': () => import('./agent-sync.ts'),
  'agent stale': () => import('./agent-stale.ts'),
  'agent rebind': () => import('./agent-rebind.ts'),
  'capability remove': () =>
    import('./name-remove.ts').then(({ removeCapabilityName: execute }) => ({ execute })),
  'capability sync': () => import('./capability-sync.ts'),
  'model-endpoint remove': () =>
    import('./name-remove.ts').then(({ removeModelEndpointName: execute }) => ({ execute })),
  'capability register': () => import('./capability-register.ts'),
  'capability list': () => import('./capability-list.ts'),
  'capability show': () => import('./capability-show.ts'),
  'env register': () => import('./env-register.ts'),
  'env list': () => import('./env-list.ts'),
  'env show': () => import('./env-show.ts'),
  'env remove': () => import('./env-remove.ts'),
  'queue set': () => import('./queue-set.ts'),
  'queue list': () => import('./queue-list.ts'),
  'queue show': () => import('./queue-show.ts'),
  'model-endpoint set': () => import('./model-endpoint-set.ts'),
  'model-endpoint list': () => import('./model-endpoint-list.ts'),
  'model-endpoint show': () => import('./model-endpoint-show.ts'),
  'secret put': () => import('./secret-put.ts'),
  'secret list': () => import('./secret-list.ts'),
  init: () => import('./init.ts'),
  doctor: () => import('./doctor.ts'),
  gc: () => import('./gc.ts'),
  'config get': () => import('./config-get.ts'),
  'config set': () => import('./config-set.ts'),
  'config explain': () => import('./config-explain.ts'),
  completion: () => import('./completion.ts'),
  diff: () => import('./diff.ts'),
  apply: () => import('./apply.ts'),
  demo: () => import('./demo.ts'),
  help: () => import('./help.ts'),
  version: () => import('./version.ts'),
};

/** Loads one command's code, and nothing of the others. */
export async function loadCommand(path: string): Promise<AnyHandler> {
  const load = loaders[path];
  if (load === undefined) throw new Error(`command ${path} has no code`);
  return (await load()).execute as AnyHandler;
}
