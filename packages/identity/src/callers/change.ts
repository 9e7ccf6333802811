import {
  type AuditAction,
  type AuditFacts,
  type CallContext,
  isOfProject,
  isPalisadeError,
  type Operation,
} from '@palisade/contracts';
import { answerOnce, type Database, receiptOf, rehearse, type WriteTx } from '@palisade/kernel';
import { record } from '../audit/record.ts';
import { recheck } from './recheck.ts';

/** Actions whose record says no more than every record. */
type PlainAction = Exclude<
  AuditAction,
  | 'operator.password_recovered'
  | 'browser.signed_in'
  | 'harness_session.idle_closed'
  | 'installation.restored'
>;

/** One change of who may use the installation. */
export interface Change {
  readonly operation: Operation;
  readonly action: PlainAction;
  /** What it is about, as the caller said; the record of a refusal names it. */
  readonly target: string;
  /** What makes two calls the same; it holds no secret. */
  readonly request: unknown;
  readonly dryRun: boolean | undefined;
  /** True when it takes authority away: that is done while the clock is not trusted too (AO-201). */
  readonly whilePaused?: boolean;
}

/** What a change did: `target` is null when there was nothing to do, which is not recorded. */
export interface Done<T> {
  readonly answer: T;
  readonly target: string | null;
  readonly replaces?: string;
  readonly policy_revision?: number;
}

const REFUSALS = [
  'authentication_required',
  'operation_not_permitted',
  'reauthentication_required',
  'last_active_admin',
  'project_active',
] as const;

/**
 * Carries out a change in one unit of work: looks again whether the caller may (AC-056), answers a repeated call from its receipt, and
 * otherwise executes and records it. `executed` is false of a repeated call and of a dry run. What is refused to somebody known is
 * recorded too.
 */
export async function change<T>(
  database: Database,
  context: CallContext,
  made: Change,
  execute: (tx: WriteTx) => Promise<Done<T>>,
): Promise<{ readonly answer: T; readonly executed: boolean }> {
  const { dryRun, action, request, whilePaused = false } = made;
  if (dryRun === true)
    return rehearse(database, async (tx) => {
      await recheck(tx, context.caller);
      return { answer: (await execute(tx)).answer, executed: false };
    });
  // The installation is nobody's project: one key means one call, whatever project the context names.
  const { project } = isOfProject(made.operation) ? context : { project: '' };
  const receipt = receiptOf({ ...context, project }, made.operation.id);
  let as: AuditFacts['class'] = null;
  try {
    return await database.write(
      async (tx) => {
        as = await recheck(tx, context.caller);
        let executed = false;
        const answer = await answerOnce(tx, receipt, request, async () => {
          const { answer: value, target, ...replaced } = await execute(tx);
          executed = true;
          if (target !== null)
            await record(tx, context, as, action, { target, outcome: 'done', ...replaced });
          return value;
        });
        return { answer, executed };
      },
      { whilePaused },
    );
  } catch (error) {
    const code = REFUSALS.find((refusal) => isPalisadeError(error, refusal));
    if (code !== undefined)
      await database.write(
        (tx) => record(tx, context, as, action, { target: made.target, outcome: 'refused', code }),
        { whilePaused: true },
      );
    throw error;
  }
}
