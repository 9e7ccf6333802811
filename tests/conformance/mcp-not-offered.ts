/*
 * What the suite asks for that this server does not have, and why: everything else it requires has to pass.
 *
 * The suite drives a fixture server with tools, resources and prompts of its own, under names that it prescribes. A product has its own.
 */

const FIXTURE_TOOL = 'it calls a tool of the suite’s own fixture server';
const NO_RESOURCES = 'resources are not offered: what there is to read, tools read';
const NO_PROMPTS = 'prompts are not offered';
const NO_COMPLETION = 'completion completes prompts and resources, of which there are none';
const NO_LOGGING = 'log messages to clients are not offered; what happens is told by tools';
const NO_TASKS = 'an extension that is not offered: a run is what lasts, and tools follow it';

/** Failing checks by their names, with the reason; `scenario: reason` stands for every check of the scenario. */
type NotOffered = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

const inBoth: NotOffered = {
  'completion-complete': NO_COMPLETION,
  'json-schema-2020-12': FIXTURE_TOOL,
  'prompts-get-embedded-resource': NO_PROMPTS,
  'prompts-get-simple': NO_PROMPTS,
  'prompts-get-with-args': NO_PROMPTS,
  'prompts-get-with-image': NO_PROMPTS,
  'prompts-list': NO_PROMPTS,
  'resources-list': NO_RESOURCES,
  'resources-read-binary': NO_RESOURCES,
  'resources-read-text': NO_RESOURCES,
  'resources-templates-read': NO_RESOURCES,
  'tools-call-audio': FIXTURE_TOOL,
  'tools-call-embedded-resource': FIXTURE_TOOL,
  'tools-call-error': FIXTURE_TOOL,
  'tools-call-image': FIXTURE_TOOL,
  'tools-call-mixed-content': FIXTURE_TOOL,
  'tools-call-simple-text': FIXTURE_TOOL,
  'tools-call-with-progress': FIXTURE_TOOL,
};

/** By revision of the protocol. */
export const NOT_OFFERED: Readonly<Record<string, NotOffered>> = {
  '2025-11-25': {
    ...inBoth,
    'elicitation-sep1034-defaults': FIXTURE_TOOL,
    'elicitation-sep1330-enums': FIXTURE_TOOL,
    'logging-set-level': NO_LOGGING,
    'resources-subscribe': NO_RESOURCES,
    'resources-unsubscribe': NO_RESOURCES,
    'tools-call-elicitation': FIXTURE_TOOL,
    'tools-call-sampling': FIXTURE_TOOL,
    'tools-call-with-logging': NO_LOGGING,
  },
  '2026-07-28': {
    ...inBoth,
    caching: {
      'sep-2549-prompts-list-caching-hints': NO_PROMPTS,
      'sep-2549-resources-list-caching-hints': NO_RESOURCES,
      'sep-2549-resources-templates-list-caching-hints': NO_RESOURCES,
    },
    'http-custom-header-server-validation': 'no argument of a tool is told as a header',
    'input-required-result-basic-elicitation': FIXTURE_TOOL,
    'input-required-result-basic-list-roots': FIXTURE_TOOL,
    'input-required-result-basic-sampling': FIXTURE_TOOL,
    'input-required-result-capability-check': FIXTURE_TOOL,
    'input-required-result-multi-round': FIXTURE_TOOL,
    'input-required-result-multiple-input-requests': FIXTURE_TOOL,
    'input-required-result-non-tool-request': NO_PROMPTS,
    'input-required-result-request-state': FIXTURE_TOOL,
    'input-required-result-result-type': FIXTURE_TOOL,
    'input-required-result-tampered-state': FIXTURE_TOOL,
    'server-stateless': {
      'sep-2575-server-rejects-undeclared-capability': FIXTURE_TOOL,
      'sep-2575-missing-capability-http-400': FIXTURE_TOOL,
      'sep-2575-http-server-no-independent-requests-on-stream': FIXTURE_TOOL,
      'sep-2575-server-no-log-without-loglevel': NO_LOGGING,
    },
    'tasks-capability-negotiation': NO_TASKS,
    'tasks-dispatch-and-envelope': NO_TASKS,
    'tasks-lifecycle': NO_TASKS,
    'tasks-mrtr-composition': NO_TASKS,
    'tasks-mrtr-input': NO_TASKS,
    'tasks-request-headers': NO_TASKS,
    'tasks-request-state-removal': NO_TASKS,
    'tasks-required-task-error': NO_TASKS,
    'tasks-wire-fields': NO_TASKS,
  },
};

/** Scenarios that have to run and pass: of a suite that finds nothing to do nobody should hear that all is well. */
export const HAS_TO_PASS: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'dns-rebinding-protection',
    'server-session-lifecycle',
  ],
  '2026-07-28': [
    'tools-list',
    'dns-rebinding-protection',
    'http-header-validation',
    'input-required-result-validate-input',
  ],
};
