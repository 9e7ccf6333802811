import { randomBytes } from 'node:crypto';
import {
  DEFAULT_PROJECT,
  getHarnessSession,
  type HarnessSessionView,
  isPalisadeError,
  newId,
  registerHarnessSession,
} from '@palisade/contracts';
import type { Input, Invocation } from '../invocation.ts';
import { outcome } from '../output/outcome.ts';
import type { KeptSession, SessionFile } from '../server/session-file.ts';
import { thisWorkstation } from '../server/workstation.ts';
import type { FlagValues } from '../tree/declaration.ts';
import type { sessionStartCommand } from '../tree/session-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';
import { assertNothingPending, sessionHere } from './session-here.ts';
import { showSession } from './session.ts';

type Described = Omit<Input<typeof registerHarnessSession>, 'session_id' | 'dry_run'>;

/**
 * `pal session start`: the session that commands work in from now on. One that is open is gone on with; one that was closed is replaced by
 * another of the same description (AO-038, AO-050). Its id and proof are on the disk before it is registered, so nothing is lost in the answer.
 */
export const execute: Handler<typeof sessionStartCommand> = async (invocation, _args, flags) => {
  const plane = await invocation.controlPlane();
  const here = await sessionHere(invocation);
  const { file } = here;
  return file.exclusively(invocation.interrupted, async () => {
    const kept = file.read();
    const { credential } = file;
    const before = kept?.credential === credential ? await lookUp(invocation, kept) : undefined;
    if (kept !== undefined && before !== undefined && before.closed_at === undefined) {
      refuseOther(kept, flags);
      return showSession(invocation, 'goes on  ', before);
    }
    await assertNothingPending(invocation, here);
    // What was kept and never arrived is registered as it was.
    const isNew = kept === undefined || kept.credential !== credential || before !== undefined;
    const next: KeptSession = isNew
      ? {
          format: 1,
          session_id: newId('hses'),
          proof: randomBytes(32).toString('hex'),
          credential,
          ...(await describe(flags, kept, await plane.project?.())),
        }
      : kept;
    const answer = await register(invocation, file, next, kept);
    if (before !== undefined && !invocation.isDryRun)
      invocation.err.line(`note: ${before.session_id} was closed`);
    const code = showSession(invocation, outcome(invocation, 'start'), answer);
    invocation.hint('pal session close');
    return code;
  });
};

async function register(
  invocation: Invocation,
  file: SessionFile,
  next: KeptSession,
  before: KeptSession | undefined,
): Promise<HarnessSessionView> {
  const { format: _, proof, credential: __, ...described } = next;
  const presented = { session: next.session_id, proof };
  const input = { ...described, ...invocation.rehearsed };
  if (!invocation.isDryRun) file.keep(next);
  try {
    return await invocation.call(registerHarnessSession, input, { presented });
  } catch (error) {
    // Refused for good, it is nobody's; in doubt, it is this one's.
    const isRefused = isPalisadeError(error) && error.facts.status < 500 && !error.facts.retryable;
    if (isRefused && !invocation.isDryRun) {
      if (before === undefined) file.forget();
      else file.keep(before);
    }
    throw error;
  }
}

/** The session at the server; undefined where it never arrived. */
async function lookUp(
  invocation: Invocation,
  { session_id: session, proof }: KeptSession,
): Promise<HarnessSessionView | undefined> {
  try {
    return await invocation.call(getHarnessSession, { session }, { presented: { session, proof } });
  } catch (error) {
    if (isPalisadeError(error, 'not_found')) return undefined;
    throw error;
  }
}

/** What the flags say, else what the last one was, else what can be seen from here. */
async function describe(
  flags: FlagValues<typeof sessionStartCommand>,
  before: KeptSession | undefined,
  project: string = DEFAULT_PROJECT,
): Promise<Described> {
  const { subagent: name, parent } = flags;
  if ((name === undefined) !== (parent === undefined))
    throw new UsageError('--subagent and --parent belong together');
  const { detectAgent } = await import('std-env');
  const subagent =
    name === undefined || parent === undefined ? before?.subagent : { project, name, parent_session: parent };
  return {
    workstation_id: flags.workstation ?? before?.workstation_id ?? thisWorkstation(),
    harness: flags.harness ?? before?.harness ?? detectAgent().name ?? 'palisade',
    capabilities: flags.capability.length > 0 ? [...flags.capability] : (before?.capabilities ?? []),
    ...(subagent === undefined ? {} : { subagent }),
  };
}

/** What is open stays what it is. */
function refuseOther(kept: KeptSession, flags: FlagValues<typeof sessionStartCommand>): void {
  const { harness, workstation, capability, subagent, parent } = flags;
  const isSame =
    [undefined, kept.harness].includes(harness) &&
    [undefined, kept.workstation_id].includes(workstation) &&
    [undefined, kept.subagent?.name].includes(subagent) &&
    [undefined, kept.subagent?.parent_session].includes(parent) &&
    (capability.length === 0 || capability.join() === kept.capabilities.join());
  if (isSame) return;
  throw new UsageError(`${kept.session_id} is open and is described otherwise`, {
    next: 'pal session close, then this again',
  });
}
