import {
  type CallContext,
  DEPLOY_KINDS,
  type deploy,
  type DeployChange,
  type DeployEntry,
  type ErrorCode,
  type InputIssue,
  isPalisadeError,
  limits,
  PalisadeError,
} from '@palisade/contracts';
import { namesOf, ownerOf } from '@palisade/kernel';
import type * as z from 'zod';
import type { Binding } from '../registry/agents/agent.ts';
import type { ProjectRooms } from '../registry/project-rooms.ts';
import { planEntry } from './deploy-entry.ts';

export type Deployment = z.output<(typeof deploy)['input']>;

/** A change that was planned, with what it sets. */
export interface PlannedChange {
  readonly change: DeployChange;
  readonly entry?: DeployEntry;
}

/**
 * What a deployment would change, in the order in which it would (DI-050). Every entry is checked and
 * every problem raised together, each with its place in `entries`: nothing is changed before all are right.
 */
export async function planDeployment(
  rooms: ProjectRooms,
  input: Deployment,
  context: CallContext,
): Promise<PlannedChange[]> {
  const problems: { readonly code: ErrorCode; readonly issue: InputIssue }[] = [];
  const note = (code: ErrorCode, path: string, message: string): void => {
    problems.push({ code, issue: { path, message } });
  };
  if (input.prune !== undefined && input.name === undefined)
    note('invalid_input', 'prune', 'needs the name of the deployment: only what it made is removed');
  noteRepeated(input.entries, note);
  assertSize(input.entries);

  const planned: PlannedChange[] = [];
  const pending = new Map<string, Binding>();
  const ordered = input.entries
    .map((entry, index) => ({ entry, index }))
    .toSorted((a, b) => DEPLOY_KINDS.indexOf(a.entry.kind) - DEPLOY_KINDS.indexOf(b.entry.kind));
  for (const { entry, index } of ordered) {
    const at = `entries[${index}].input`;
    try {
      const missingSecret = (path: string, message: string): void =>
        note('secret_missing', `${at}.${path}`, message);
      const change = await planEntry(rooms, entry, { context, pending, missingSecret });
      const other = await foreignOwner(rooms, input, change);
      if (other !== undefined)
        note(
          'already_exists',
          `${at}.name`,
          `would change, and ${other === null ? 'was registered by itself' : `belongs to the deployment ${other}`}; --adopt takes it over`,
        );
      planned.push({ change, entry });
    } catch (error) {
      if (!isPalisadeError(error)) throw error;
      for (const issue of issuesAt(at, entry, error)) note(error.code, issue.path, issue.message);
    }
  }
  refuse(problems);
  return [...planned, ...(await planRemovals(rooms, input))];
}

/**
 * Whose name this would change that is not this deployment's: another one's, or null for nobody's. A
 * repository's agent must not take the place of one that somebody set, only because it is called the same.
 */
async function foreignOwner(
  { project, database }: ProjectRooms,
  { name, adopt }: Deployment,
  { kind, name: changed, action }: DeployChange,
): Promise<string | null | undefined> {
  if (action !== 'update' || adopt === true || kind === 'queue') return undefined;
  const owner = await database.read((tx) => ownerOf(tx, { project, kind }, changed));
  return owner === (name ?? null) ? undefined : owner;
}

/** Names that are this deployment's and not in it: agents first, since they are what uses the rest. */
async function planRemovals(
  { project, database }: ProjectRooms,
  input: Deployment,
): Promise<PlannedChange[]> {
  const { name: owner, entries, prune } = input;
  if (owner === undefined) return [];
  const kept = new Set(entries.map(({ kind, input: { name } }) => `${kind} ${name}`));
  const chosen =
    prune === undefined || prune === true ? null : new Set(prune.map(({ kind, name }) => `${kind} ${name}`));
  const owned = await database.read((tx) => namesOf(tx, project, owner));
  return DEPLOY_KINDS.toReversed().flatMap((kind) =>
    owned
      .filter((row) => row.kind === kind && !kept.has(`${kind} ${row.name}`))
      .map(({ name, hash }) => {
        const isChosen = prune !== undefined && (chosen === null || chosen.has(`${kind} ${name}`));
        return {
          change: { kind, name, action: isChosen ? 'remove' : 'keep', before: hash, outcome: 'planned' },
        };
      }),
  );
}

function noteRepeated(
  entries: readonly DeployEntry[],
  note: (code: ErrorCode, path: string, message: string) => void,
): void {
  const seen = new Set<string>();
  for (const [index, { kind, input }] of entries.entries()) {
    const key = `${kind} ${input.name}`;
    if (seen.has(key))
      note('invalid_input', `entries[${index}].input.name`, `names the ${kind} ${input.name} again`);
    seen.add(key);
  }
}

function assertSize(entries: readonly DeployEntry[]): void {
  let bytes = 0;
  for (const entry of entries)
    if (entry.kind === 'capability')
      for (const { base64 } of entry.input.files) bytes += (base64.length / 4) * 3;
  if (bytes > limits.deployBytes)
    throw new PalisadeError(
      'too_large',
      `the capabilities have more than ${limits.deployBytes} bytes together`,
      {
        next: 'deploy them in several manifests',
      },
    );
}

/** Where in an entry a registration's refusal belongs. A credential's place is written `kind:name:place`. */
function issuesAt(at: string, { kind, input }: DeployEntry, error: PalisadeError): InputIssue[] {
  const whole = { path: at, message: error.message };
  if (error.issues.length === 0) return [whole];
  if (error.code !== 'credential_in_text')
    return error.issues.map(({ path, message }) =>
      error.code === 'unsafe_path' ? whole : { path: `${at}.${path}`, message },
    );
  const prefix = `${kind}:${input.name}:`;
  return error.issues.map(({ path }) => {
    const rest = path.startsWith(prefix) ? path.slice(prefix.length).replaceAll(':', '.') : '';
    const inside = kind === 'capability' ? 'files' : kind === 'env' ? `values.${rest}` : rest;
    return { path: `${at}.${inside}`, message: error.message };
  });
}

function refuse(problems: readonly { readonly code: ErrorCode; readonly issue: InputIssue }[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const isOfOneKind = problems.every(({ code }) => code === first.code);
  throw new PalisadeError(
    isOfOneKind ? first.code : 'invalid_input',
    `the deployment has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}; nothing was changed`,
    { issues: problems.map(({ issue }) => issue) },
  );
}
