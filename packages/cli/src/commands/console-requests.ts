import {
  attestGate,
  closeReview,
  createReview,
  decideAuthority,
  listAuthority,
  listGates,
  MESSAGE,
  openGate,
  openReviews,
  requestAuthority,
  showReview,
} from '@palisade/memory';
import type { ConsoleAuthority, ConsoleGate, ConsoleReview } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { authorityLines, gateLines, reviewLines } from '../output/console-text.ts';
import { emit } from '../output/format.ts';
import type * as tree from '../tree/console-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import {
  changedLines,
  changeOf,
  partyOf,
  repositoryAround,
  withConsole,
  withConsoleToChange,
} from './console-invocation.ts';
import type { Handler } from './handler.ts';

/** What the decisions are to do. */
const VERBS = { approved: 'approve', denied: 'deny', dispatched: 'mark done' } as const;

/** One of them, or a list. */
function print<T extends { readonly id: string }>(
  invocation: Invocation,
  answer: T | readonly T[],
  lines: (each: T) => readonly string[],
  none = '',
): number {
  const data = 'id' in answer ? [answer] : answer;
  emit(invocation, {
    json: 'id' in answer ? answer : { data },
    records: data,
    ids: data.map(({ id }) => id),
    text: () => (data.length === 0 ? [none] : data.flatMap(lines)),
  });
  return 0;
}

/** One that was changed. */
function printChanged<T extends { readonly id: string }>(
  invocation: Invocation,
  verb: string,
  answer: T,
  lines: (each: T) => readonly string[],
): number {
  return print(invocation, answer, (each) => changedLines(invocation, verb, lines(each)));
}

/** `pal console authority-request ACTION`. */
export const request: Handler<typeof tree.consoleAuthorityRequestCommand> = (
  invocation,
  { action },
  { level, target, details },
) =>
  withConsoleToChange(invocation, async (console) => {
    const party = partyOf(invocation, console);
    const wish = { party, level: level ?? MESSAGE, action, target, details };
    const answer = await requestAuthority(console, { ...changeOf(invocation, 'request', wish), ...wish });
    return printChanged(invocation, 'request', answer, authorityLines);
  });

/** `pal console authority-decide REQUEST`. */
export const decide: Handler<typeof tree.consoleAuthorityDecideCommand> = (
  invocation,
  { request: id },
  { approve, deny, dispatched, reason, by },
) => {
  const chosen = Object.entries({ approved: approve, denied: deny, dispatched }).filter(([, is]) => is);
  const [first, ...others] = chosen.map(([name]) => name as 'approved' | 'denied' | 'dispatched');
  if (first === undefined || others.length > 0)
    throw new UsageError('say one of --approve, --deny and --dispatched');
  return withConsoleToChange(invocation, async (console) => {
    const party = partyOf(invocation, console, by);
    const wish = { party, id, decision: first, reason };
    const answer = await decideAuthority(console, { ...changeOf(invocation, 'decide', wish), ...wish });
    return printChanged(invocation, VERBS[first], answer, authorityLines);
  });
};

/** `pal console authority-list`. */
export const listRequests: Handler<typeof tree.consoleAuthorityListCommand> = (
  invocation,
  _args,
  { all: isEver, level, target },
) =>
  withConsole(invocation, (console) =>
    print<ConsoleAuthority>(
      invocation,
      listAuthority(console, { isEver, level, target }),
      authorityLines,
      'nothing is asked for',
    ),
  );

/** `pal console gate-open EVENT`. */
export const open: Handler<typeof tree.consoleGateOpenCommand> = (
  invocation,
  { event },
  { type, required },
) =>
  withConsoleToChange(invocation, async (console) => {
    const wish = {
      party: partyOf(invocation, console),
      event,
      type: type ?? 'human',
      required: required ?? 1,
    } as const;
    const answer = await openGate(console, { ...changeOf(invocation, 'gate', wish), ...wish });
    return printChanged(invocation, 'open', answer, gateLines);
  });

/** `pal console gate-attest GATE`. */
export const attest: Handler<typeof tree.consoleGateAttestCommand> = (
  invocation,
  { gate: id },
  { verdict, evidence, by },
) => {
  if (verdict === undefined) throw new UsageError('say --verdict approve, allow or deny');
  return withConsoleToChange(invocation, async (console) => {
    const wish = { party: partyOf(invocation, console, by), id, verdict, evidence };
    const answer = await attestGate(console, { ...changeOf(invocation, 'attest', wish), ...wish });
    return printChanged(invocation, 'attest', answer, gateLines);
  });
};

/** `pal console gate-list`. */
export const listGatesNow: Handler<typeof tree.consoleGateListCommand> = (invocation, _args, { all }) =>
  withConsole(invocation, (console) =>
    print<ConsoleGate>(invocation, listGates(console, all), gateLines, 'no gate is open'),
  );

/** `pal console review-create SUBJECT`. */
export const create: Handler<typeof tree.consoleReviewCreateCommand> = async (
  invocation,
  { subject },
  { details },
) => {
  const around = await repositoryAround(invocation);
  return withConsoleToChange(invocation, async (console) => {
    const party = partyOf(invocation, console);
    const wish = { party, subject, details, repository: around?.repository ?? null };
    const answer = await createReview(console, { ...changeOf(invocation, 'review', wish), ...wish });
    return printChanged(invocation, 'create', answer, reviewLines);
  });
};

/** `pal console review-show [REVIEW]`. */
export const showOne: Handler<typeof tree.consoleReviewShowCommand> = (invocation, { review: id }) =>
  withConsole(invocation, (console) =>
    print<ConsoleReview>(
      invocation,
      id === undefined ? openReviews(console) : showReview(console, id),
      reviewLines,
      'no review is open',
    ),
  );

/** `pal console review-close REVIEW`. */
export const close: Handler<typeof tree.consoleReviewCloseCommand> = (
  invocation,
  { review: id },
  { decision, note, by },
) => {
  if (decision === undefined) throw new UsageError('say --decision proceed, revise or decline');
  return withConsoleToChange(invocation, async (console) => {
    const wish = { party: partyOf(invocation, console, by), id, decision, note };
    const answer = await closeReview(console, { ...changeOf(invocation, 'close', wish), ...wish });
    return printChanged(invocation, 'close', answer, reviewLines);
  });
};
