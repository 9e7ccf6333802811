import type {
  ConsoleAuthority,
  ConsoleClaim,
  ConsoleGate,
  ConsoleHandoff,
  ConsoleKey,
  ConsoleManifest,
  ConsoleOwned,
  ConsoleReview,
  ConsoleSession,
} from '@palisade/contracts';
import { foreignLine } from './foreign-text.ts';
import { bullets } from './repo-text.ts';
import { count, elapsed, moment } from './time.ts';

type Times = 'local' | 'utc';

/* Every text here is of an agent or a person: it is cleaned before a terminal sees it. */

export function keyText({ provider, session_id: id, machine }: ConsoleKey): string {
  return foreignLine(`${provider}:${id}@${machine}`);
}

/** Words that are there, apart. */
function facts(...words: readonly (string | null | undefined | false)[]): string {
  return words
    .filter((word): word is string => typeof word === 'string' && word !== '')
    .map(foreignLine)
    .join('  ');
}

const short = (text: string | null): string => {
  const characters = [...foreignLine(text ?? '')];
  return characters.length <= 100 ? characters.join('') : `${characters.slice(0, 100).join('')}…`;
};

/** Lines of one session in the list. */
export function consoleSessionLines(session: ConsoleSession, now: number): readonly string[] {
  const { live, manifest, claims, owned } = session;
  const state = live === null ? (owned?.ended_at === null ? owned.status : 'quiet') : 'running';
  const idle =
    live?.last_active_at === null || live === null ? '' : `quiet for ${elapsed(now - live.last_active_at)}`;
  return [
    `${state.padEnd(8)} ${keyText(session)}  ${facts(idle, live?.git_branch)}`.trimEnd(),
    ...(manifest === null
      ? [`  ${short(live?.title ?? owned?.command.join(' ') ?? null)}`].filter((each) => each.trim() !== '')
      : [
          `  ${short(manifest.goal ?? '(no goal said)')}${manifest.current_step === null ? '' : `: ${short(manifest.current_step)}`}${session.manifest_stale ? '  (said before it last acted)' : ''}`,
        ]),
    ...(claims.length === 0 ? [] : [`  holds ${claims.map(({ target }) => foreignLine(target)).join(', ')}`]),
    ...(session.conflict_count === 0
      ? []
      : [`  ${count(session.conflict_count, 'claim')} of others on files it names`]),
  ];
}

export function manifestLines(manifest: ConsoleManifest, times: Times): readonly string[] {
  return [
    `said     ${moment(manifest.updated_at, times)} in ${foreignLine(manifest.cwd)}${manifest.source_pid === null ? '' : ` by ${manifest.source_pid}`}`,
    ...(manifest.goal === null ? [] : [`goal     ${foreignLine(manifest.goal)}`]),
    ...(manifest.current_step === null ? [] : [`step     ${foreignLine(manifest.current_step)}`]),
    ...(manifest.stop_condition === null ? [] : [`until    ${foreignLine(manifest.stop_condition)}`]),
    ...bullets('files', manifest.files),
    ...bullets('next', manifest.next_actions),
    ...bullets('risks', manifest.risks),
    ...bullets('blockers', manifest.blockers),
  ];
}

export function claimLine(claim: ConsoleClaim, times: Times): string {
  const slash = claim.target_type === 'directory' && claim.target !== '.' ? '/' : '';
  const until = claim.status === 'active' ? claim.lease_until : (claim.released_at ?? claim.lease_until);
  return facts(
    claim.id,
    claim.status,
    `${claim.target}${slash}`,
    `${claim.status === 'active' ? 'until ' : ''}${moment(until, times)}`,
    keyText(claim),
    claim.intent,
  );
}

export function handoffLines(handoff: ConsoleHandoff, times: Times): readonly string[] {
  const to = handoff.accepted_by ?? handoff.to;
  return [
    facts(
      handoff.id,
      handoff.status,
      moment(handoff.created_at, times),
      `${keyText(handoff.from)} to ${to === null ? 'anybody' : keyText(to)}`,
    ),
    `  ${foreignLine(handoff.summary)}`,
    ...handoff.pending_actions.map((each) => `  next     ${foreignLine(each)}`),
    ...handoff.blockers.map((each) => `  blocker  ${foreignLine(each)}`),
  ];
}

export function authorityLines(request: ConsoleAuthority): readonly string[] {
  return [
    facts(
      request.id,
      request.status,
      request.level,
      request.action,
      request.target,
      `by ${request.requested_by}`,
    ),
    ...(request.details === null ? [] : [`  ${foreignLine(request.details)}`]),
    ...(request.decided_by === null
      ? []
      : [`  ${facts(`decided by ${request.decided_by}`, request.reason)}`]),
  ];
}

export function gateLines(gate: ConsoleGate): readonly string[] {
  const allowed = gate.attestations.filter(({ verdict }) => verdict !== 'deny').length;
  return [
    facts(gate.id, gate.status, `${allowed} of ${gate.required_attestations} ${gate.type}`, gate.event),
    ...gate.attestations.map(({ by, verdict, evidence }) => `  ${facts(verdict, by, evidence)}`),
  ];
}

export function reviewLines(review: ConsoleReview): readonly string[] {
  return [
    facts(review.id, review.decision ?? review.status, review.subject, `by ${review.requested_by}`),
    ...(review.details === null ? [] : [`  ${foreignLine(review.details)}`]),
    ...(review.decided_by === null ? [] : [`  ${facts(`decided by ${review.decided_by}`, review.note)}`]),
  ];
}

export function ownedLines(owned: ConsoleOwned, times: Times): readonly string[] {
  const how =
    owned.exit_code === null
      ? (owned.signal ?? owned.failure)
      : `exit ${owned.exit_code}${owned.failure === null ? '' : `, ${owned.failure}`}`;
  return [
    facts(owned.id, owned.status, how, owned.command.join(' ')),
    `  ${facts(
      moment(owned.started_at, times),
      owned.ended_at === null ? null : elapsed(owned.ended_at - owned.started_at),
      owned.ended_at === null && owned.child_pid !== null && `pid ${owned.child_pid}`,
      owned.ended_at === null && owned.runner_pid !== null && `runner ${owned.runner_pid}`,
      owned.cwd,
      owned.log,
    )}`,
  ];
}
