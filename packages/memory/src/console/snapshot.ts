import type {
  ConsoleKey,
  ConsoleSession,
  ConsoleSessionDetails,
  ConsoleSnapshot,
  LiveTranscripts,
} from '@palisade/contracts';
import type { Env } from '../store/user-data.ts';
import { openTranscripts } from '../transcripts/open-transcripts.ts';
import { listAuthority } from './authority.ts';
import { claimsOf, conflictCount } from './claims.ts';
import type { Console } from './console.ts';
import { listHandoffs } from './handoffs.ts';
import { manifestOf } from './manifests.ts';
import { listOwned } from './owned/owned-rows.ts';
import { type KnownSession, knownSessions, sessionText } from './sessions.ts';

/** A session writes down that it wrote its manifest a little after it has. */
const AFTERWARDS_MS = 60_000;
/** How long a manifest of a session that is not seen is shown. */
const QUIET_MS = 24 * 3_600_000;

type Live = LiveTranscripts['sessions'][number];

/**
 * The agents that run with what they said here, and those that said something and are not seen (WM-070), the last active
 * first.
 *
 * @param isAll also those that said something long ago
 */
export function consoleSnapshot(console: Console, live: LiveTranscripts, isAll: boolean): ConsoleSnapshot {
  const { database, now } = console;
  const byName = liveByName(console, live);
  const owned = ownedByName(console);
  const sessions = knownSessions(
    database,
    [...byName.values()].map(({ key }) => key),
  )
    .map((key) => view(console, key, byName.get(sessionText(key))?.live ?? null, owned))
    .filter(
      ({ live: seen, manifest, claims, owned: run }) =>
        isAll ||
        seen !== null ||
        claims.length > 0 ||
        (manifest !== null && now - manifest.updated_at < QUIET_MS) ||
        (run !== null && run.status !== 'exited' && run.status !== 'failed'),
    )
    .toSorted((one, other) => activeAt(other) - activeAt(one));
  return {
    generated_at: now,
    host: live.host,
    sessions,
    starting: live.sessions.filter(({ id }) => id === null).length,
    notes: live.notes,
  };
}

/** One session, with what waits for it. */
export function consoleSession(
  console: Console,
  session: KnownSession,
  live: LiveTranscripts,
): ConsoleSessionDetails {
  const name = sessionText(session);
  const seen = liveByName(console, live).get(name)?.live ?? null;
  const isTo = (id: number | undefined) => id ?? -1;
  return {
    ...view(console, session, seen, ownedByName(console)),
    handoffs: listHandoffs(console, { to: isTo(session.row), isEver: false }).filter(({ to }) => to !== null),
    requests: listAuthority(console, { target: name, isEver: false }),
  };
}

/** Sessions by the transcripts of their programs, for whom they are named. */
export function transcriptKeys(env: Env): readonly ConsoleKey[] {
  using transcripts = openTranscripts({ env });
  return transcripts
    .all<Record<keyof ConsoleKey, string>>(
      'SELECT DISTINCT harness AS provider, id AS session_id, machine FROM sessions WHERE parent IS NULL',
    )
    .map((key) => ({ ...key }));
}

function liveByName({ machine }: Console, { sessions }: LiveTranscripts) {
  return new Map(
    sessions.flatMap((live) => {
      if (live.id === null) return [];
      const key: ConsoleKey = { provider: live.harness, session_id: live.id, machine };
      return [[sessionText(key), { key, live }] as const];
    }),
  );
}

function ownedByName(console: Console) {
  return new Map(listOwned(console, true).map((owned) => [owned.session, owned]));
}

function view(
  console: Console,
  { row, provider, session_id, machine }: KnownSession,
  live: Live | null,
  owned: ReturnType<typeof ownedByName>,
): ConsoleSession {
  const manifest = row === undefined ? undefined : manifestOf(console, row);
  return {
    provider,
    session_id,
    machine,
    live,
    manifest: manifest ?? null,
    manifest_stale:
      manifest !== undefined &&
      live !== null &&
      (live.last_active_at ?? 0) > manifest.updated_at + AFTERWARDS_MS,
    claims: row === undefined ? [] : claimsOf(console, row),
    conflict_count:
      row === undefined || manifest === undefined
        ? 0
        : conflictCount(console, row, manifest.repository, manifest.files),
    owned: owned.get(sessionText({ provider, session_id, machine })) ?? null,
  };
}

function activeAt({ live, manifest, owned, claims }: ConsoleSession): number {
  return Math.max(
    live?.last_active_at ?? 0,
    manifest?.updated_at ?? 0,
    owned?.started_at ?? 0,
    ...claims.map(({ created_at: at }) => at),
  );
}
