import {
  getHarnessSession,
  listHarnessSessions,
  type HarnessSessionView,
  SessionProof,
} from '@palisade/contracts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { readInput } from '../read-input.ts';
import { stateDirectory } from '../server/state-directory.ts';
import { thisWorkstation } from '../server/workstation.ts';
import type { sessionAdoptCommand, sessionMigrateCommand } from '../tree/session-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';
import { secretText } from './secret-put.ts';
import { assertNothingPending, sessionHere } from './session-here.ts';
import { PROOF_BYTES, showSession } from './session.ts';

/**
 * `pal session adopt SESSION --file FILE`: commands go on in a session that another program registered with this credential on this
 * machine, such as the one that an MCP client names in its headers (AO-126). Nothing is registered or renewed.
 */
export const adopt: Handler<typeof sessionAdoptCommand> = async (invocation, { session }, flags) => {
  if (flags.file === undefined) throw new UsageError('it needs the proof, with --file');
  const here = await sessionHere(invocation);
  const proof = SessionProof.safeParse(secretText(await readInput(invocation, flags.file, PROOF_BYTES)));
  if (!proof.success) throw new UsageError('that is no proof of a session: 64 lower-case hex digits');
  return here.file.exclusively(invocation.interrupted, async () => {
    const kept = here.file.read();
    if (kept !== undefined && kept.session_id !== session) throw isTaken(kept.session_id);
    if (kept === undefined) await assertNothingPending(invocation, here);
    const presented = { session, proof: proof.data };
    // Looking at a session asks for no proof; any other call in it does.
    await invocation.call(listHarnessSessions, { active_within_hours: 1 }, { presented });
    const view = await invocation.call(getHarnessSession, { session }, { presented });
    assertWorksHere(view, flags.workstation ?? thisWorkstation());
    if (!invocation.isDryRun)
      here.file.keep({
        format: 1,
        session_id: view.session_id,
        proof: proof.data,
        credential: here.file.credential,
        workstation_id: view.workstation_id,
        harness: view.harness,
        capabilities: view.capabilities,
        ...(view.subagent === undefined ? {} : { subagent: withoutIdentity(view.subagent) }),
      });
    return showSession(invocation, outcome(invocation, 'adopt'), view);
  });
};

/**
 * `pal session migrate --from DIR`: the session of the same server, project, credential and name that another state directory holds, kept
 * here too (AO-037). It stays there, and is the same one: whoever goes on in both works as one.
 */
export const migrate: Handler<typeof sessionMigrateCommand> = async (invocation, _args, flags) => {
  if (flags.from === undefined) throw new UsageError('it needs --from, the state directory to take it from');
  const from = stateDirectory(flags.from, {});
  const here = await sessionHere(invocation);
  const there = await sessionHere(invocation, from);
  if (here.file.path === there.file.path) throw new UsageError(`${from} is the state directory here`);
  const { interrupted } = invocation;
  // In one order, whichever of the two is here: or two that migrate crosswise would wait for each other.
  const [first, second] = here.file.path < there.file.path ? [here, there] : [there, here];
  const kept = await first.file.exclusively(interrupted, () =>
    second.file.exclusively(interrupted, async () => {
      const source = there.file.read();
      if (source === undefined)
        throw new UsageError(`${from} holds no session of this server, project and name`, {
          next: 'name another one with --project or --session',
        });
      // Raises where it belongs to another credential.
      there.file.presented();
      const taken = here.file.read();
      if (taken !== undefined && JSON.stringify(taken) !== JSON.stringify(source))
        throw isTaken(taken.session_id);
      await assertNothingPending(invocation, there);
      await assertNothingPending(invocation, here);
      if (!invocation.isDryRun) here.file.keep(source);
      return source;
    }),
  );
  const { proof: _, format: __, credential: ___, ...answer } = kept;
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [answer.session_id],
    text: () => [`${outcome(invocation, 'migrate')}${answer.session_id}  from ${from}`],
  });
  return 0;
};

function withoutIdentity(given: NonNullable<HarnessSessionView['subagent']>) {
  const { identity: _, ...subagent } = given;
  return subagent;
}

function isTaken(session: string): UsageError {
  return new UsageError(`commands here work in ${session}`, {
    next: 'pal session close, then this again; or another --session NAME',
  });
}

function assertWorksHere({ session_id, workstation_id }: HarnessSessionView, expected: string): void {
  if (workstation_id === expected) return;
  throw new UsageError(`${session_id} works on ${workstation_id}, and this is ${expected}`, {
    next: `if both are this machine: --workstation ${workstation_id}`,
  });
}
