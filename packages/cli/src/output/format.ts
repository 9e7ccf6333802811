import type { Invocation } from '../invocation.ts';
import { foreignJson, foreignLine, foreignName } from './foreign-text.ts';
import { printText } from './pager.ts';

/** A command's result in every format it can be printed in. */
export interface View {
  /** The wire answer, printed by `--json` unchanged. */
  readonly json: unknown;
  /** What `ndjson`, `tsv` and `md` print, one record per line. */
  readonly records: readonly object[];
  readonly ids: readonly string[];
  /** Lines for people; foreign text is cleaned here as what it is, or else by the sink as part of the line. */
  readonly text: () => readonly string[];
  /** One of several parts that are printed as they come: never handed to a pager. */
  readonly isPart?: boolean;
  /** The text is what was asked for byte by byte: never for a terminal. */
  readonly isRaw?: boolean;
}

/** Prints a result to standard output in the chosen format. */
export function emit(invocation: Invocation, view: View): void {
  const { out, settings } = invocation;
  switch (settings.format) {
    case 'json':
      out.line(foreignJson(settings.fields === undefined ? view.json : pick(view.json, settings.fields)));
      break;
    case 'ndjson':
      for (const record of view.records) out.line(foreignJson(record));
      break;
    case 'id':
      // A program gets the very name, as it is stored.
      for (const id of view.ids) out.write(`${out.isTty ? foreignName(id) : id}\n`);
      break;
    case 'tsv':
      for (const line of tabSeparated(view.records)) out.line(line);
      break;
    case 'md':
      for (const line of markdown(view.records)) out.line(line);
      break;
    case 'text':
      if (view.isRaw === true)
        out.write(
          view
            .text()
            .map((line) => `${line}\n`)
            .join(''),
        );
      else if (view.isPart === true) for (const line of view.text()) out.line(line);
      else printText(invocation, view.text());
      break;
  }
}

/** Keeps the named fields: of each entry when the answer is a listing, of the answer itself otherwise. Dots reach inside. */
export function pick(value: unknown, fields: readonly string[]): unknown {
  if (isRecord(value) && Array.isArray(value['data'])) {
    return { ...value, data: value['data'].map((entry: unknown) => pickFrom(entry, fields)) };
  }
  return pickFrom(value, fields);
}

function pickFrom(value: unknown, fields: readonly string[]): unknown {
  return Object.fromEntries(
    fields.flatMap((field) => {
      let at: unknown = value;
      for (const part of field.split('.'))
        at = isRecord(at) && Object.hasOwn(at, part) ? at[part] : undefined;
      return at === undefined ? [] : [[field, at]];
    }),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function columnsOf(records: readonly object[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))];
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return foreignLine(value);
  return foreignLine(JSON.stringify(value));
}

function tabSeparated(records: readonly object[]): string[] {
  if (records.length === 0) return [];
  const columns = columnsOf(records);
  return [
    columns.join('\t'),
    ...records.map((record) => columns.map((name) => cell(Reflect.get(record, name))).join('\t')),
  ];
}

function markdown(records: readonly object[]): string[] {
  if (records.length === 0) return [];
  const columns = columnsOf(records);
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const escape = (text: string): string => text.replaceAll(/[\\|`*_<>[\]]/g, (found) => `\\${found}`);
  return [
    row(columns),
    row(columns.map(() => '---')),
    ...records.map((record) => row(columns.map((name) => escape(cell(Reflect.get(record, name)))))),
  ];
}
