import type { RequestView } from '@palisade/contracts';
import type { Settings } from '../invocation.ts';
import { foreignBlock, foreignLine } from './foreign-text.ts';
import type { Row } from './row.ts';
import { elapsed, moment } from './time.ts';

const SHORT = 12;

/** The digits of a request's hash that people compare and type. */
export function shortHash({ hash }: Pick<RequestView, 'hash'>): string {
  return hash.slice('sha256:'.length, 'sha256:'.length + SHORT);
}

/** `approve` or `answer`: what somebody has to do. */
export function verbOf({ kind }: Pick<RequestView, 'kind'>): 'answer' | 'approve' {
  return kind === 'approval' ? 'approve' : 'answer';
}

/** A request as one row. */
export function requestRow(request: RequestView, now: number): Row {
  const waits = request.state === 'open' || request.state === 'expired';
  return {
    state: request.state === 'open' ? verbOf(request) : request.state,
    id: `${request.run_id}/${request.item}`,
    title: foreignLine(request.text),
    aside: waits ? expiryText(request, now) : `by ${foreignLine(request.answered_by ?? 'nobody')}`,
  };
}

/** What happens when nobody answers. */
export function expiryText({ expires_at: at, on_expiry }: RequestView, now: number): string {
  if (at === undefined) return '';
  const ends = on_expiry === 'approve' ? 'approved' : 'denied';
  return at <= now ? `${ends}: nobody decided in time` : `${ends} in ${elapsed(at - now)} if unanswered`;
}

/**
 * All that is asked, for whoever is about to answer. Words of an agent can neither steer a terminal nor pass for what
 * Palisade says: what it says comes first, and every line of theirs stands behind a bar.
 */
export function requestLines(request: RequestView, times: Settings['times']): string[] {
  const by = request.kind === 'question' ? `attempt ${request.attempt}` : 'the plan';
  const lines = [
    `${request.kind}  ${request.run_id}/${request.item}  ${foreignLine(request.run_title)}`,
    ...(request.inputs ?? []).map(
      (input) => `  shows  ${input.key}  ${input.ref}${'from' in input ? `  of ${input.from}` : ''}`,
    ),
    ...(request.patch === undefined ? [] : [`  patch  ${request.patch}`]),
    ...(request.role === undefined ? [] : [`  for    ${foreignLine(request.role)}`]),
    ...(request.four_eyes === true ? ['  rule   not whoever started the run or added to it'] : []),
    ...(request.distinct_from === undefined
      ? []
      : [`  rule   not who approved ${request.distinct_from.join(', ')}`]),
    ...(request.expires_at === undefined
      ? []
      : [
          `  until  ${moment(request.expires_at, times)}, then ${request.on_expiry === 'approve' ? 'approved' : 'denied'}`,
        ]),
    `  asked  ${moment(request.asked_at, times)} by ${by}`,
    `  hash   ${shortHash(request)}`,
    ...saidBlock(request.text),
    ...(request.options ?? []).map((option, i) => `  ${i + 1}  ${foreignLine(option)}`),
    ...(request.context === undefined ? [] : ['  context', ...saidBlock(request.context)]),
  ];
  return lines;
}

/** Foreign lines behind a bar; of several blank ones in a row, which could push the rest out of sight, one stays. */
export function saidBlock(text: string): string[] {
  return foreignBlock(text)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line, i, all) => line !== '' || all[i - 1] !== '')
    .map((line) => `  | ${line}`.trimEnd());
}
