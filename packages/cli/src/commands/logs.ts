import { setTimeout as delay } from 'node:timers/promises';
import { getRun } from '@palisade/contracts';
import { patientCaller } from '../follow/event-feed.ts';
import { logPages, logText } from '../follow/log-text.ts';
import { Interrupted } from '../interrupt.ts';
import type { Invocation } from '../invocation.ts';
import { parseItemRef } from '../item-ref.ts';
import { emit } from '../output/format.ts';
import { wantsPager } from '../output/pager.ts';
import type { FlagValues } from '../tree/declaration.ts';
import type { logsCommand } from '../tree/run-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

const FOLLOW_MS = 500;

/** `pal logs RUN/ITEM`: what an item printed, redacted where it was written. */
export const execute: Handler<typeof logsCommand> = async (invocation, args, flags) => {
  if (flags.raw && invocation.out.isTty)
    throw new UsageError('--raw writes control characters and needs a pipe or a file');
  const { run: ref, item } = parseItemRef(args.target);
  const { run, items } = await invocation.call(getRun, { run: ref });
  if (item !== undefined) {
    await printItem(invocation, run.id, item, flags, '', 'alone');
    return 0;
  }
  const started = items.filter((entry) => entry.attempt > 0);
  if (flags.follow && items.length > 1)
    throw new UsageError('--follow needs one item', {
      next: `pal logs ${run.id}/${items[0]?.id ?? 'ITEM'} -f`,
    });
  if (started.length === 0 && invocation.settings.format === 'text')
    invocation.err.line(`nothing was printed yet by ${run.id}`);
  const logs: object[] = [];
  for (const entry of started) {
    const prefix = items.length > 1 ? `${entry.id}: ` : '';
    const log = await printItem(invocation, run.id, entry.id, flags, prefix, 'among others');
    if (log !== undefined) logs.push(log);
  }
  if (invocation.settings.format === 'json')
    emit(invocation, { json: { data: logs }, records: [], ids: [], text: () => [] });
  return 0;
};

/** Prints an item's log; as JSON the log of one item among others is handed back, to be part of one document. */
async function printItem(
  invocation: Invocation,
  run: string,
  item: string,
  flags: FlagValues<typeof logsCommand>,
  prefix: string,
  place: 'alone' | 'among others',
): Promise<object | undefined> {
  const { settings, out, interrupted } = invocation;
  const target = { run, item, ...(flags.attempt === undefined ? {} : { attempt: flags.attempt }) };
  const isWhole = wantsPager(invocation) && !flags.follow;
  const isStreaming = settings.format === 'text' && flags.tail === undefined && !isWhole;
  const kept: unknown[] = [];
  let offset = 0;
  let attempt = 0;
  let complete = false;
  const print = (lines: readonly unknown[]): void => {
    for (const line of lines)
      for (const text of logText(line, !flags.raw))
        if (flags.raw) out.write(`${prefix}${text}\n`);
        else out.line(prefix + text);
  };
  const patient = flags.follow
    ? await patientCaller(invocation, (line) => invocation.err.line(line))
    : undefined;
  const call: Invocation['call'] =
    patient === undefined
      ? invocation.call
      : (operation, input) => patient.call(operation, input, { signal: interrupted });
  for (;;) {
    for await (const page of logPages(invocation, target, offset, call)) {
      ({ offset, attempt, complete } = page);
      if (isStreaming) print(page.lines);
      else kept.push(...page.lines);
      if (flags.tail !== undefined && !flags.follow) kept.splice(0, Math.max(0, kept.length - flags.tail));
    }
    if (complete || !flags.follow || out.closed.aborted) break;
    if (!isStreaming && settings.format === 'text') print(kept.splice(0).slice(-(flags.tail ?? 0)));
    await delay(FOLLOW_MS, undefined, { signal: interrupted }).catch(() => {
      throw new Interrupted('interrupted');
    });
  }
  if (isStreaming) return undefined;
  const lines = flags.tail === undefined ? kept : kept.slice(Math.max(0, kept.length - flags.tail));
  const log = { run, item, attempt, lines, complete };
  if (settings.format === 'json' && place === 'among others') return log;
  emit(invocation, {
    json: log,
    records: lines.filter((line): line is object => typeof line === 'object' && line !== null),
    ids: [`${run}/${item}`],
    isRaw: flags.raw,
    text: () => lines.flatMap((line) => logText(line, !flags.raw).map((text) => prefix + text)),
  });
  return log;
}
