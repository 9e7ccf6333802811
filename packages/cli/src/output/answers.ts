import * as c from '@palisade/contracts';
import * as z from 'zod';
import { CLIENTS, TOKEN_VARIABLE } from '../mcp/clients.ts';
import { KeptSession } from '../server/session-file.ts';

/*
 * What `--json` prints, by command: the answers of operations as they are on the wire, and the documents
 * that commands make of several. Where there are several, which one follows from the flags.
 */

const PatchFile = z.looseObject({ path: z.string(), status: z.string() });
const PipelineCheck = z.strictObject({
  ok: z.boolean(),
  blocks: z.int(),
  issues: z.array(z.strictObject({ path: z.string(), message: z.string() })),
  warnings: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
});
const PlannedChecks = z.strictObject({ tier: z.enum(c.CHECK_TIERS), commands: z.array(z.string()) });
const Reconnected = c.JobObservation.omit({ sequence: true, observed_at: true }).extend({
  job: c.ProducerJobId,
});
const Rebound = z.strictObject({
  data: z.array(c.rebindAgent.output),
});
const Deployed = c.deploy.output.extend({
  /** What of the deployer's goes into what. */
  takes: z.array(
    z.strictObject({
      source: z.enum(['variable', 'file', 'directory', 'standard_input']),
      name: z.string().optional(),
      as: z.enum(['value', 'secret', 'content']),
      of: z.array(z.string()),
    }),
  ),
  /** Where model endpoints send which secret. */
  sends: z.array(
    z.strictObject({ model_endpoint: z.string(), origin: z.string(), secret: z.string().optional() }),
  ),
});
const Synced = c.deploy.output.extend({
  /** What was left alone, and what was found twice. */
  warnings: z.array(z.string()),
  /** Agents that are bound to older content of capabilities, by name. */
  stale: z.array(z.string()).optional(),
});
const Log = z.strictObject({
  run: z.string(),
  item: z.string(),
  attempt: z.int(),
  lines: z.array(c.Json),
  complete: z.boolean(),
});
const DoctorCheck = z.strictObject({
  name: z.string(),
  result: z.enum(['ok', 'warn', 'fail', 'n/a']),
  detail: z.string(),
  next: z.string().optional(),
});
const Setting = z.strictObject({ key: z.string(), value: z.string().nullable() });
const Verification = z.strictObject({
  run_id: z.string(),
  intact: z.boolean(),
  guarantee: z.string(),
  claim: z.string(),
  time_tier: z.string(),
  authz_tier: z.string(),
  failure: z.string().optional(),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      ok: z.union([z.boolean(), z.literal('n/a')]),
      detail: z.string(),
    }),
  ),
  entries: z.int(),
  signature_checked: z.boolean(),
  trust: z.string(),
  sandboxes: z.array(
    z.strictObject({
      sandbox: z.string(),
      isolation: z.enum(['sandboxed', 'unsandboxed-host']),
      attempts: z.int(),
    }),
  ),
});

export const answers: Readonly<Record<string, readonly z.ZodType[]>> = {
  run: [c.getRun.output, c.submitPlan.output, c.validatePlan.output],
  watch: [c.getRun.output],
  rerun: [c.getRun.output, c.rerun.output],
  show: [c.getRun.output],
  status: [c.listRuns.output],
  logs: [Log, z.strictObject({ data: z.array(Log) })],
  events: [c.listEvents.output],
  explain: [
    z.strictObject({
      run_id: z.string(),
      item: z.string(),
      state: z.string(),
      why: z.array(z.string()),
      helps: z.array(z.string()),
    }),
  ],
  inbox: [c.listRequests.output],
  answer: [c.answerRequest.output],
  send: [c.sendMessage.output],
  messages: [c.listMessages.output],
  approve: [c.decideRequest.output],
  deny: [c.decideRequest.output],
  pause: [c.pauseRun.output, c.pauseQueue.output],
  resume: [c.resumeRun.output, c.resumeQueue.output],
  budget: [c.setBudget.output],
  usage: [c.getUsage.output],
  cancel: [c.cancelRun.output],
  extend: [c.extendRun.output],
  close: [c.extendRun.output],
  'plan validate': [c.validatePlan.output],
  'plan render': [
    z.strictObject({ title: z.string(), items: z.int(), layers: z.array(z.array(z.string())) }),
    c.validatePlan.output,
  ],
  diff: [
    z.strictObject({
      run_id: z.string(),
      patches: z.array(z.strictObject({ item: z.string(), ref: c.Hash, files: z.array(PatchFile) })),
    }),
  ],
  apply: [
    z.strictObject({
      run_id: z.string(),
      applied: z.boolean(),
      items: z.array(z.string()),
      files: z.array(PatchFile),
      warnings: z.array(z.string()),
      record: z.string().optional(),
    }),
    z.strictObject({ run_id: z.string(), applied: z.boolean(), files: z.array(z.string()) }),
  ],
  'artifact get': [
    z.strictObject({ ref: z.string(), size: z.int(), base64: z.string() }),
    z.strictObject({ ref: z.string(), size: z.int(), file: z.string() }),
  ],
  'evidence show': [
    z.strictObject({
      run_id: z.string(),
      entries: z.int(),
      manifests: z.int(),
      items: z.array(c.BundleItem),
      log: z.strictObject({ leaf_index: z.int(), tree_size: z.int() }),
    }),
  ],
  'evidence export': [c.exportEvidence.output],
  'evidence trust-root': [c.getTrustRoot.output],
  'evidence status': [c.getEvidenceStatus.output],
  'evidence revoke-key': [c.revokeKey.output],
  'evidence rotate-key': [c.rotateKey.output],
  verify: [Verification],
  'agent register': [c.registerAgent.output],
  'capability register': [c.registerCapability.output],
  'env register': [c.registerEnvironment.output],
  deploy: [Deployed],
  'agent remove': [c.removeAgent.output],
  'agent sync': [Synced],
  'agent stale': [c.listStaleAgents.output],
  'agent rebind': [Rebound],
  'capability remove': [c.removeCapability.output],
  'capability sync': [Synced],
  'model-endpoint remove': [c.removeModelEndpoint.output],
  'agent list': [c.listAgents.output],
  'capability list': [c.listCapabilities.output],
  'pipeline register': [c.registerPipeline.output],
  'pipeline validate': [PipelineCheck],
  'pipeline list': [c.listPipelines.output],
  'pipeline show': [c.getPipeline.output],
  'pipeline remove': [c.removePipeline.output],
  'env list': [c.listEnvironments.output],
  'agent show': [c.getAgent.output],
  'capability show': [c.getCapability.output],
  'env show': [c.getEnvironment.output],
  'env remove': [c.removeEnvironment.output],
  'model-endpoint set': [c.registerModelEndpoint.output],
  'model-endpoint list': [c.listModelEndpoints.output],
  'model-endpoint show': [c.getModelEndpoint.output],
  'queue set': [c.setQueue.output],
  'queue list': [c.listQueues.output],
  'queue show': [c.getQueue.output],
  'secret put': [c.putSecret.output],
  'secret list': [c.listSecrets.output],
  'schedule add': [c.addSchedule.output],
  'schedule list': [c.listSchedules.output],
  'schedule show': [c.getSchedule.output],
  'schedule pause': [c.pauseSchedule.output],
  'schedule resume': [c.resumeSchedule.output],
  'schedule rm': [c.removeSchedule.output],
  'schedule run-now': [c.runScheduleNow.output],
  'webhook set': [c.setWebhook.output.extend({ secret: z.string().optional() })],
  'webhook list': [c.listWebhooks.output],
  'webhook show': [c.getWebhook.output],
  'webhook rm': [c.removeWebhook.output],
  'webhook test': [c.testWebhook.output],
  'webhook deliveries': [c.listDeliveries.output],
  'webhook replay': [c.replayDeliveries.output],
  doctor: [z.strictObject({ ok: z.boolean(), checks: z.array(DoctorCheck) })],
  'server diagnose': [z.strictObject({ ok: z.boolean(), checks: z.array(DoctorCheck) })],
  metrics: [c.getMetrics.output],
  'project create': [c.createProject.output],
  'project list': [c.listProjects.output],
  'project show': [c.getProject.output],
  'project archive': [c.archiveProject.output],
  'project restore': [c.restoreProject.output],
  'project policy': [c.getPolicy.output],
  'project policy-set': [c.setPolicy.output],
  'project policy-history': [c.listPolicies.output],
  'init-admin': [c.PrincipalView],
  'recover-operator-password': [c.PrincipalView],
  backup: [c.BackupReport],
  'backup-verify': [c.VerifiedSnapshot],
  restore: [c.RestoreReport],
  'invalidate-restored': [c.InvalidatedDatabase],
  'principal create': [c.createPrincipal.output],
  'principal list': [c.listPrincipals.output],
  'credential list': [c.listCredentials.output],
  'credential issue': [c.issueCredential.output],
  'credential rotate': [c.rotateCredential.output],
  'credential revoke': [c.revokeCredential.output],
  'session start': [c.registerHarnessSession.output],
  'session adopt': [c.getHarnessSession.output],
  'session migrate': [KeptSession.omit({ format: true, proof: true, credential: true })],
  'session register': [c.registerHarnessSession.output],
  'session list': [c.listHarnessSessions.output],
  'session show': [c.getHarnessSession.output],
  'session close': [c.closeHarnessSession.output],
  'job run': [c.registerJob.output],
  'job reconnect': [Reconnected],
  'job list': [c.listJobs.output],
  'job show': [c.getJob.output],
  'repo index': [c.IndexReport],
  'repo doctor': [c.MemoryHealth],
  'repo explain': [c.Explanation],
  'repo safe': [c.SafetyReport],
  'repo plan': [c.EditPlan],
  'repo risk': [c.RiskRanking],
  'repo neighbors': [c.NeighborReport],
  'repo changed': [c.ChangedReport],
  'repo review': [c.RepositoryReview],
  'repo handoff': [c.RepositoryHandoff],
  'repo preflight': [c.RepositoryPreflight],
  'repo decisions': [c.DecisionList],
  'repo map': [c.RepositoryMap],
  'repo check': [c.CheckReport, PlannedChecks],
  'repo task-start': [c.RepositoryTask],
  'repo agents': [z.strictObject({ text: z.string() })],
  'repo agents-install': [
    z.strictObject({
      data: z.array(
        z.strictObject({ path: z.string(), change: z.enum(['created', 'updated', 'unchanged']) }),
      ),
    }),
  ],
  'repo task-show': [z.strictObject({ task: c.TaskScope.nullable() })],
  'repo task-clear': [z.strictObject({ status: z.enum(['cleared', 'none']) })],
  'transcript index': [c.TranscriptIndexReport],
  'transcript list': [c.TranscriptList],
  'transcript show': [c.TranscriptDetails],
  'transcript search': [c.TranscriptSearch],
  'transcript grep': [c.TranscriptGrep],
  'transcript related': [c.RelatedTranscripts],
  'transcript stats': [c.TranscriptStats],
  'transcript live': [c.LiveTranscripts],
  'transcript embed': [c.TranscriptEmbedReport],
  'console list': [c.ConsoleSnapshot],
  'console show': [c.ConsoleSessionDetails],
  'console manifest-set': [c.ConsoleManifest],
  'console handoff-write': [c.ConsoleHandoff],
  'console handoff-list': [c.ConsoleHandoffList],
  'console handoff-accept': [c.ConsoleHandoff],
  'console claim-acquire': [c.ConsoleClaimAnswer],
  'console claim-release': [c.ConsoleClaimList],
  'console claim-list': [c.ConsoleClaimList],
  'console authority-request': [c.ConsoleAuthority],
  'console authority-decide': [c.ConsoleAuthority],
  'console authority-list': [c.ConsoleAuthorityList],
  'console gate-open': [c.ConsoleGate],
  'console gate-attest': [c.ConsoleGate],
  'console gate-list': [c.ConsoleGateList],
  'console review-create': [c.ConsoleReview],
  'console review-show': [c.ConsoleReview, c.ConsoleReviewList],
  'console review-close': [c.ConsoleReview],
  'console run': [c.ConsoleOwned],
  'console owned-list': [c.ConsoleOwnedList],
  'console owned-show': [c.ConsoleOwned],
  'console read': [c.ConsoleOutput],
  'console interrupt': [c.ConsoleInterrupt],
  clock: [c.getClock.output],
  'recover-clock': [c.reconcileClock.output],
  'mcp install': [
    z.strictObject({
      client: z.enum(CLIENTS),
      file: z.string(),
      url: z.string(),
      token_variable: z.literal(TOKEN_VARIABLE),
      changed: z.boolean(),
      content: z.string(),
    }),
  ],
  gc: [c.collectStorage.output],
  demo: [z.strictObject({ ok: z.boolean(), project: z.string().optional() })],
  login: [z.strictObject({ server: z.string(), file: z.string() })],
  serve: [z.strictObject({ url: z.string() })],
  init: [z.strictObject({ directory: z.string(), created: z.boolean() })],
  'config get': [z.strictObject({ data: z.array(Setting.extend({ source: z.string() })) })],
  'config set': [Setting.extend({ file: z.string() })],
  'config unset': [Setting.extend({ removed: z.boolean(), file: z.string() })],
  'config explain': [
    Setting.extend({
      layers: z.array(
        z.strictObject({
          source: z.string(),
          where: z.string(),
          value: z.string().nullable(),
          wins: z.boolean(),
        }),
      ),
    }),
  ],
  completion: [z.strictObject({ shell: z.string(), script: z.string() })],
  help: [z.strictObject({ topic: z.string(), text: z.string() })],
  api: [
    z.strictObject({
      data: z.array(
        z.strictObject({
          id: z.string(),
          method: z.string(),
          path: z.string(),
          scope: z.string(),
          effect: z.string(),
          summary: z.string(),
        }),
      ),
      has_more: z.boolean(),
    }),
    // Of the operation that is named.
    z.looseObject({}),
  ],
  version: [
    z.strictObject({
      palisade: z.string(),
      node: z.string(),
      platform: z.string(),
      source_commit: z.string().optional(),
    }),
  ],
};

/** The document of a failure (cli.md §5). */
export const FailureDocument = z.strictObject({
  error: z.strictObject({
    code: z.enum(Object.keys(c.errorCatalogue) as [c.ErrorCode, ...c.ErrorCode[]]),
    message: z.string(),
    hint: z.string().optional(),
    next: z.string().optional(),
    issues: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
    retryable: z.boolean(),
  }),
});
