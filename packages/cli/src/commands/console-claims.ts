import type { ConsoleClaim } from '@palisade/contracts';
import { shellWords } from '@palisade/contracts/shell-words';
import { acquireClaims, claimTarget, LEASE_MS, listClaims, releaseClaims } from '@palisade/memory';
import type { Invocation } from '../invocation.ts';
import { claimLine } from '../output/console-text.ts';
import { emit } from '../output/format.ts';
import type * as tree from '../tree/console-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import {
  changedLines,
  changeOf,
  neededSession,
  repositoryAround,
  repositoryOf,
  withConsole,
  withConsoleToChange,
} from './console-invocation.ts';
import type { Handler } from './handler.ts';

const CLAIM_ID = /^(?:clm-)?\d+$/;

/** Somebody else holds it. */
const CONFLICT = 5;

/** `pal console claim-acquire PATH...`: exit 5 when another session holds something of it. */
export const acquire: Handler<typeof tree.consoleClaimAcquireCommand> = async (
  invocation,
  { path: paths },
  { repo, ttl, intent },
) => {
  if (paths.length === 0) throw new UsageError('nothing is named to claim');
  const around = await repositoryOf(invocation, repo);
  const targets = paths.map((path) => claimTarget(around, around.directory, path));
  return withConsoleToChange(invocation, async (console) => {
    const session = neededSession(invocation, console);
    const wish = { session, repository: around.repository, targets, ttlMs: ttl ?? LEASE_MS.usual, intent };
    const answer = await acquireClaims(console, { ...changeOf(invocation, 'claim', wish), ...wish });
    const claims = answer.status === 'acquired' ? answer.claims : answer.conflicts;
    emit(invocation, {
      json: answer,
      records: claims,
      ids: claims.map(({ id }) => id),
      text: () => [
        ...(answer.status === 'acquired' ? [] : [conflictLine(claims.length)]),
        ...claims.flatMap((claim) => {
          const line = claimLine(claim, invocation.settings.times);
          return answer.status === 'acquired' ? changedLines(invocation, 'claim', [line]) : line;
        }),
      ],
    });
    return answer.status === 'acquired' ? 0 : CONFLICT;
  });
};

/** Only what is asked again with its key can have ended without being another's. */
function conflictLine(held: number): string {
  return held === 0 ? 'conflict: what was claimed has ended, ask with another key' : 'conflict: others hold';
}

/** `pal console claim-release [CLAIM...]`. */
export const release: Handler<typeof tree.consoleClaimReleaseCommand> = async (
  invocation,
  { claim: ids },
  { repo, file: files, all },
) => {
  if ([ids.length > 0, files.length > 0, all].filter(Boolean).length !== 1)
    throw new UsageError('name claims, or --file, or --all');
  const path = ids.find((id) => !CLAIM_ID.test(id));
  if (path !== undefined)
    throw new UsageError(`${JSON.stringify(path)} is no id of a claim, such as clm-12`, {
      why: 'a path is given with --file',
      next: `pal console claim-release --file ${shellWords([path])}`,
    });
  const around = files.length === 0 ? undefined : await repositoryOf(invocation, repo);
  const targets =
    around === undefined ? [] : files.map((path) => claimTarget(around, around.directory, path).target);
  const which = all
    ? ('all' as const)
    : around === undefined
      ? { ids }
      : { repository: around.repository, targets };
  return withConsoleToChange(invocation, async (console) => {
    const session = neededSession(invocation, console);
    const data = await releaseClaims(console, {
      ...changeOf(invocation, 'release', session, which),
      session,
      which,
    });
    emitClaims(invocation, data, 'it holds nothing', 'release');
    return 0;
  });
};

/** `pal console claim-list`. */
export const list: Handler<typeof tree.consoleClaimListCommand> = async (
  invocation,
  _args,
  { repo, all },
) => {
  const around =
    repo === undefined ? await repositoryAround(invocation) : await repositoryOf(invocation, repo);
  return withConsole(invocation, (console) => {
    emitClaims(invocation, listClaims(console, around?.repository, all), 'nothing is claimed');
    return 0;
  });
};

/** @param verb what was done to them, when it was a change */
function emitClaims(
  invocation: Invocation,
  data: readonly ConsoleClaim[],
  none: string,
  verb?: string,
): void {
  const line = (claim: ConsoleClaim) => claimLine(claim, invocation.settings.times);
  emit(invocation, {
    json: { data },
    records: data,
    ids: data.map(({ id }) => id),
    text: () =>
      data.length === 0
        ? [none]
        : data.flatMap((claim) =>
            verb === undefined ? line(claim) : changedLines(invocation, verb, [line(claim)]),
          ),
  });
}
