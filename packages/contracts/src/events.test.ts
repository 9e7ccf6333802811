import { expect, it } from 'vitest';
import { eventTypes } from './events.ts';

it('DI-079: the vocabulary of what can happen is closed, and every entry refuses what it does not know', () => {
  // Written out by hand, so that a new word is a decision: evidence of today must stay readable.
  expect(Object.keys(eventTypes).sort()).toEqual([
    'browser.session_revoked',
    'browser.signed_in',
    'browser.signed_out',
    'clock.reconciled',
    'credential.hidden',
    'credential.issued',
    'credential.revoked',
    'credential.rotated',
    'harness_session.closed',
    'harness_session.idle_closed',
    'harness_session.registered',
    'installation.restored',
    'item.answered',
    'item.approval_requested',
    'item.canceled',
    'item.decided',
    'item.denied',
    'item.failed',
    'item.fired',
    'item.growth_refused',
    'item.message_sent',
    'item.messages_delivered',
    'item.reconciled',
    'item.settled',
    'item.skipped',
    'item.started',
    'job.registered',
    'job.state_changed',
    'operator.access_set',
    'operator.created',
    'operator.email_set',
    'operator.email_verified',
    'operator.password_changed',
    'operator.password_recovered',
    'operator.password_reset',
    'passkey.deleted',
    'passkey.registered',
    'principal.access_set',
    'principal.created',
    'project.archived',
    'project.created',
    'project.policy_set',
    'project.restored',
    'run.budget_exceeded',
    'run.budget_set',
    'run.cancel_requested',
    'run.closed',
    'run.completed',
    'run.extended',
    'run.paused',
    'run.recovered',
    'run.resumed',
    'run.submitted',
  ]);
  const attempt = { item: 'a', attempt: 1, run: 'run_1' };
  const worker = 'host_boot_pids_times_1_1';
  const told: Partial<Record<keyof typeof eventTypes, object>> = {
    'item.started': { ...attempt, sandbox: 'bubblewrap', worker },
    'item.reconciled': { ...attempt, status: 'done', outcome: 'succeeded', exit_code: 0 },
    'item.skipped': { item: 'a', because: 'b' },
    'run.cancel_requested': { actor: 'human:ada' },
  };
  for (const [type, data] of Object.entries(told)) {
    const schema = eventTypes[type as keyof typeof eventTypes];
    expect(schema.safeParse(data).success, type).toBe(true);
    expect(schema.safeParse({ ...data, trace_id: 'x' }).success, type).toBe(false);
  }
});
