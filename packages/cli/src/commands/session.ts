import {
  closeHarnessSession,
  DEFAULT_PROJECT,
  getHarnessSession,
  type HarnessSessionView,
  listHarnessSessions,
  type PresentedSession,
  registerHarnessSession,
} from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { count, moment } from '../output/time.ts';
import { readInput } from '../read-input.ts';
import type {
  sessionCloseCommand,
  sessionListCommand,
  sessionRegisterCommand,
  sessionShowCommand,
} from '../tree/session-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';
import { secretText } from './secret-put.ts';

export const PROOF_BYTES = 1_024;

/** `pal session register SESSION`. */
export const register: Handler<typeof sessionRegisterCommand> = async (invocation, args, flags) => {
  const { harness, workstation, subagent, parent, file } = flags;
  if (harness === undefined || workstation === undefined || file === undefined)
    throw new UsageError('it needs --harness, --workstation and --file');
  if ((subagent === undefined) !== (parent === undefined))
    throw new UsageError('--subagent and --parent belong together');
  const plane = await invocation.controlPlane();
  const project = invocation.config.get('project') ?? (await plane.project?.()) ?? DEFAULT_PROJECT;
  const answer = await invocation.call(
    registerHarnessSession,
    {
      session_id: args.session,
      workstation_id: workstation,
      harness,
      capabilities: [...flags.capability],
      ...(subagent === undefined || parent === undefined
        ? {}
        : { subagent: { project, name: subagent, parent_session: parent } }),
      ...invocation.rehearsed,
    },
    { presented: await presentedIn(invocation, args.session, file) },
  );
  return showSession(invocation, outcome(invocation, 'register'), answer);
};

/** `pal session list`. */
export const list: Handler<typeof sessionListCommand> = async (invocation, _args, flags) => {
  const { activeWithinHours: hours } = flags;
  const answer = await invocation.call(
    listHarnessSessions,
    hours === undefined ? {} : { active_within_hours: hours },
  );
  emit(invocation, {
    json: answer,
    records: answer.data,
    ids: answer.data.map(({ session_id: id }) => id),
    text: () => [
      ...(answer.data.length === 0 ? [noneText(answer.active_within_hours)] : []),
      ...answer.data.map((each) =>
        [
          each.session_id,
          each.principal_name,
          each.subagent?.name ?? '-',
          `${each.harness} on ${each.workstation_id}`,
          moment(each.last_activity_at, invocation.settings.times),
        ].join('  '),
      ),
    ],
  });
  if (answer.truncated) invocation.hint('pal session list --active-within-hours 1');
  return 0;
};

function noneText(hours: number): string {
  return hours === 0
    ? 'no session is open'
    : `no session was active in the last ${count(hours, 'hour')} (--active-within-hours 0 for every open one)`;
}

/** `pal session show [SESSION]`. */
export const showOne: Handler<typeof sessionShowCommand> = async (invocation, args) => {
  const { session } = await sessionMeant(invocation, args.session);
  return showSession(invocation, '', await invocation.call(getHarnessSession, { session }));
};

/** `pal session close [SESSION]`. */
export const close: Handler<typeof sessionCloseCommand> = async (invocation, args, { file }) => {
  const { session, here, kept } = await sessionMeant(invocation, args.session);
  const isKept = kept?.session_id === session;
  const proof = file === undefined && isKept ? { session, proof: kept.proof } : undefined;
  const presented = file === undefined ? proof : await presentedIn(invocation, session, file);
  const answer = await invocation.call(
    closeHarnessSession,
    { session, ...invocation.rehearsed },
    presented === undefined ? {} : { presented },
  );
  if (isKept && !invocation.isDryRun) here?.forget();
  return showSession(invocation, outcome(invocation, 'close'), answer);
};

/** The session that is named, or else the one that was started here. */
async function sessionMeant(invocation: Invocation, named: string | undefined) {
  const here = await (await invocation.controlPlane()).sessionFile?.();
  const kept = here?.read();
  const session = named ?? kept?.session_id;
  if (session === undefined)
    throw new UsageError('no session was started here', { next: 'pal session list' });
  return { session, here, kept };
}

async function presentedIn(invocation: Invocation, session: string, file: string): Promise<PresentedSession> {
  return { session, proof: secretText(await readInput(invocation, file, PROOF_BYTES)) };
}

/** A session, behind what was done to it. */
export function showSession(invocation: Invocation, said: string, answer: HarnessSessionView): number {
  const { session_id: id, subagent, closed_at: closed } = answer;
  const { times } = invocation.settings;
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [id],
    text: () => [
      `${said}${id}  ${answer.harness} on ${answer.workstation_id}`,
      ...(subagent === undefined
        ? []
        : [`subagent  ${subagent.name}  ${subagent.identity}  for ${subagent.parent_session}`]),
      closed === undefined
        ? `open      since ${moment(answer.created_at, times)}, last active ${moment(answer.last_activity_at, times)}`
        : `closed    ${moment(closed, times)}`,
    ],
  });
  return 0;
}
