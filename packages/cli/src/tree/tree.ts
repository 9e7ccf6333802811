import type { Declaration } from './declaration.ts';
import * as deploy from './deploy-commands.ts';
import * as installation from './installation-commands.ts';
import * as products from './product-commands.ts';
import * as registry from './registry-commands.ts';
import * as requests from './request-commands.ts';
import * as runs from './run-commands.ts';
import * as schedules from './schedule-commands.ts';
import * as server from './server-commands.ts';
import * as webhooks from './webhook-commands.ts';

/** Every command, in the order help shows them, under the heading it shows. */
export const sections: readonly (readonly [string, readonly Declaration[]])[] = [
  [
    'Runs',
    [
      runs.runCommand,
      runs.watchCommand,
      runs.statusCommand,
      runs.showCommand,
      runs.logsCommand,
      runs.eventsCommand,
      runs.explainCommand,
      runs.extendCommand,
      runs.closeCommand,
      requests.inboxCommand,
      requests.answerCommand,
      requests.approveCommand,
      requests.denyCommand,
      runs.cancelCommand,
      runs.pauseCommand,
      runs.resumeCommand,
      runs.budgetCommand,
      runs.usageCommand,
      runs.rerunCommand,
      runs.planValidateCommand,
      runs.planRenderCommand,
    ],
  ],
  [
    'Products and evidence',
    [
      products.diffCommand,
      products.applyCommand,
      products.artifactGetCommand,
      products.evidenceShowCommand,
      products.evidenceExportCommand,
      products.evidenceTrustRootCommand,
      products.evidenceStatusCommand,
      products.evidenceRotateKeyCommand,
      products.evidenceRevokeKeyCommand,
      products.verifyCommand,
    ],
  ],
  [
    'What can be run',
    [
      deploy.deployCommand,
      registry.agentRegisterCommand,
      registry.agentListCommand,
      registry.agentShowCommand,
      deploy.agentRemoveCommand,
      deploy.agentSyncCommand,
      deploy.agentStaleCommand,
      deploy.agentRebindCommand,
      registry.capabilityRegisterCommand,
      registry.capabilityListCommand,
      registry.capabilityShowCommand,
      deploy.capabilityRemoveCommand,
      deploy.capabilitySyncCommand,
      registry.pipelineRegisterCommand,
      registry.pipelineValidateCommand,
      registry.pipelineListCommand,
      registry.pipelineShowCommand,
      deploy.pipelineRemoveCommand,
      registry.envRegisterCommand,
      registry.envListCommand,
      registry.envShowCommand,
      registry.envRemoveCommand,
      registry.queueSetCommand,
      registry.queueListCommand,
      registry.queueShowCommand,
      registry.modelEndpointSetCommand,
      registry.modelEndpointListCommand,
      registry.modelEndpointShowCommand,
      deploy.modelEndpointRemoveCommand,
      registry.secretPutCommand,
      registry.secretListCommand,
    ],
  ],
  [
    'By themselves',
    [
      schedules.scheduleAddCommand,
      schedules.scheduleListCommand,
      schedules.scheduleShowCommand,
      schedules.schedulePauseCommand,
      schedules.scheduleResumeCommand,
      schedules.scheduleRmCommand,
      schedules.scheduleRunNowCommand,
      webhooks.webhookSetCommand,
      webhooks.webhookListCommand,
      webhooks.webhookShowCommand,
      webhooks.webhookRmCommand,
      webhooks.webhookTestCommand,
      webhooks.webhookDeliveriesCommand,
      webhooks.webhookReplayCommand,
    ],
  ],
  [
    'Server',
    [
      server.serveCommand,
      server.loginCommand,
      server.principalCreateCommand,
      server.principalListCommand,
      server.credentialListCommand,
      server.credentialIssueCommand,
      server.credentialRotateCommand,
      server.credentialRevokeCommand,
    ],
  ],
  [
    'This installation',
    [
      installation.initCommand,
      installation.demoCommand,
      installation.doctorCommand,
      installation.metricsCommand,
      installation.gcCommand,
      installation.configGetCommand,
      installation.configSetCommand,
      installation.configExplainCommand,
      installation.completionCommand,
      installation.helpCommand,
      installation.versionCommand,
    ],
  ],
];

export const commands: readonly Declaration[] = sections.flatMap(([, list]) => list);

/** Old names: typed ones still work and name the new one once. */
export const aliases: Readonly<Record<string, string>> = {
  'orch submit': 'run',
  'orch validate': 'plan validate',
  'orch render': 'plan render',
  'orch watch': 'watch',
  'orch runs': 'status',
  'orch status': 'show',
  'orch cancel': 'cancel',
  'orch audit': 'evidence export',
  'dispatch describe': 'show',
  'dispatch cancel': 'cancel',
  'subagent register': 'agent register',
  'subagent list': 'agent list',
  'subagent get': 'agent show',
  'subagent sync': 'agent sync',
  'capabilities sync': 'capability sync',
  'capabilities register': 'capability register',
  'capabilities list': 'capability list',
  'capabilities get': 'capability show',
  'env get': 'env show',
};
