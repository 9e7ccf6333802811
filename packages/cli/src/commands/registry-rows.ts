import type { CatalogueRow, InputIssue } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { renderRows } from '../output/row.ts';
import { moment } from '../output/time.ts';

/** Prints what a registration changed. */
export function printRegistered(
  invocation: Invocation,
  answer: {
    readonly name: string;
    readonly revision: number;
    readonly hash: string;
    readonly created: boolean;
    readonly warnings?: readonly InputIssue[] | undefined;
  },
  noun: string,
): number {
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [answer.name],
    text: () => [
      `${outcome(invocation, 'register')}${answer.name}  revision ${answer.revision}  ${answer.created ? (invocation.isDryRun ? 'new' : 'registered') : 'unchanged'}  ${answer.hash}`,
    ],
  });
  for (const { path, message } of answer.warnings ?? [])
    invocation.err.line(`warning: ${foreignLine(path)}: ${foreignLine(message)}`);
  if (!invocation.isDryRun) invocation.hint(`pal ${noun} show ${answer.name}`);
  return 0;
}

/** Prints a catalogue listing. */
export function printCatalogue(
  invocation: Invocation,
  answer: { readonly data: readonly CatalogueRow[]; readonly next_cursor?: string | undefined },
  noun: string,
  plural: string,
): number {
  emit(invocation, {
    json: answer,
    records: answer.data,
    ids: answer.data.map((row) => row.name),
    text: () =>
      answer.data.length === 0 ? [`no ${plural} are registered`] : catalogueLines(invocation, answer.data),
  });
  if (answer.next_cursor !== undefined) invocation.hint(`pal ${noun} list --cursor ${answer.next_cursor}`);
  return 0;
}

/** One line per revision. */
export function catalogueLines(invocation: Invocation, rows: readonly CatalogueRow[]): string[] {
  const { settings } = invocation;
  return renderRows(
    rows.map((row) => ({
      state: 'ok',
      id: row.name,
      title: `revision ${row.revision}`,
      aside: `${row.hash.slice(0, 19)}  ${moment(row.registered_at, settings.times)}`,
    })),
    settings.style,
  );
}

/** Prints a name's revisions and what else is known of it, or `not_found`. */
export async function printHistory(
  invocation: Invocation,
  answer: { readonly row: CatalogueRow | null; readonly revisions: readonly CatalogueRow[] },
  noun: string,
  name: string,
  more: readonly string[] = [],
): Promise<number> {
  if (answer.row === null) {
    const { PalisadeError } = await import('@palisade/contracts');
    throw new PalisadeError('not_found', `no ${noun} is named ${name}`, { next: `pal ${noun} list` });
  }
  emit(invocation, {
    json: answer,
    records: answer.revisions,
    ids: answer.revisions.map((row) => row.hash),
    text: () => [...catalogueLines(invocation, answer.revisions), ...more],
  });
  return 0;
}

/** A line for each fact that there is. */
export function factLines(facts: readonly (readonly [string, string | undefined])[]): string[] {
  return facts.flatMap(([what, text = '']) =>
    text === '' ? [] : [`  ${what.padEnd(12)}${foreignLine(text)}`],
  );
}
