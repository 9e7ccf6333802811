import { PROJECT } from './tools.ts';

/** What commands do that a next step can name, as the tool that does it. Commands of which no tool is one are the operator's. */
export const TOOL_OF_COMMAND: Readonly<Record<string, string>> = {
  'agent list': 'agents_list',
  'agent show': 'agents_get',
  cancel: 'runs_cancel',
  'capability list': 'capabilities_list',
  'env list': 'envs_list',
  'evidence show': 'evidence_export',
  'evidence trust-root': 'evidence_trust_root',
  explain: 'runs_get',
  inbox: 'requests_list',
  'pipeline list': 'pipelines_list',
  'plan validate': 'plans_validate',
  'project list': 'projects_list',
  'project policy-history': 'projects_policy_history',
  'project show': 'projects_get',
  'queue list': 'queues_list',
  rerun: 'runs_rerun',
  run: 'plans_submit',
  'schedule show': 'schedules_get',
  show: 'runs_get',
  status: 'runs_list',
  watch: 'runs_get',
};

/**
 * A next step for whoever has tools and no command line (AO-129): a command is named as its tool, and the setting of the project as the
 * argument. What no tool does stays a command.
 */
export function nextForTools(next: string): string {
  return next
    .replace(/\bpal config set project NAME, or --project NAME/, `give its key as ${PROJECT}`)
    .replaceAll(
      /\b(?:pal|palisade) ([a-z-]+)(?: ([a-z-]+)(?= |,|:|;|$))?/g,
      (whole, first: string, second?: string) => {
        const both = second === undefined ? undefined : TOOL_OF_COMMAND[`${first} ${second}`];
        if (both !== undefined) return both;
        const alone = Object.hasOwn(TOOL_OF_COMMAND, first) ? TOOL_OF_COMMAND[first] : undefined;
        if (alone === undefined) return whole;
        return second === undefined ? alone : `${alone} ${second}`;
      },
    );
}
