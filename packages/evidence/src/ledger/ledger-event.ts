import {
  type BundleEntry,
  type EventData,
  type RunEventType,
  runEventTypes,
  zodIssues,
} from '@palisade/contracts';

/** A ledger entry whose data was checked against its type's schema. */
export type LedgerEvent = {
  [T in RunEventType]: {
    readonly seq: number;
    readonly type: T;
    readonly at: number;
    readonly data: EventData<T>;
  };
}[RunEventType];

/** Reads an entry's data by its type, or says why it cannot be read. */
export function readEvent(entry: BundleEntry): LedgerEvent | { readonly problem: string } {
  if (!Object.hasOwn(runEventTypes, entry.type))
    return { problem: `entry ${entry.seq}: unknown event type ${JSON.stringify(entry.type)}` };
  const type = entry.type as RunEventType;
  const parsed = runEventTypes[type].safeParse(entry.data);
  if (parsed.success) return { seq: entry.seq, type, at: entry.at, data: parsed.data } as LedgerEvent;
  const issue = zodIssues(parsed.error)[0];
  return { problem: `entry ${entry.seq}: data of ${type} is malformed at ${issue?.path}: ${issue?.message}` };
}
