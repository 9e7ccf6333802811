import {
  canonicalJson,
  type EvidenceBundle,
  isPalisadeError,
  parseInput,
  SEAL_PAYLOAD_TYPE,
  SealStatement,
} from '@palisade/contracts';
import { type LedgerFacts, statementOf } from '../ledger/ledger-facts.ts';
import type { Problems } from './problems.ts';

/**
 * The sealed statement against the only one that is true of the ledger in the bundle. Equal
 * canonical texts settle it; otherwise every differing fact is told. Returns the time at which the
 * run claims to be sealed, or null when the statement cannot be read.
 */
export function checkRoot(bundle: EvidenceBundle, facts: LedgerFacts, problems: Problems): number | null {
  if (bundle.seal.payloadType !== SEAL_PAYLOAD_TYPE)
    problems.add(`the seal is a ${JSON.stringify(bundle.seal.payloadType)}, not a ${SEAL_PAYLOAD_TYPE}`);
  const text = Buffer.from(bundle.seal.payload, 'base64').toString('utf8');
  const expected = statementOf(bundle.run_id, bundle.entries, facts);
  if (expected !== null && canonicalJson(expected) === text) return expected.predicate.sealed_at;
  const sealed = readStatement(text, problems);
  if (sealed === null) return null;
  if (expected === null) problems.add('the ledger does not end with run.completed');
  else tellDifferences(sealed, expected, problems);
  return sealed.predicate.sealed_at;
}

function readStatement(text: string, problems: Problems): SealStatement | null {
  try {
    const value: unknown = JSON.parse(text);
    const statement = parseInput(SealStatement, value, 'the statement', 'evidence_invalid');
    if (canonicalJson(value) !== text) problems.add("the seal's statement is not in canonical form");
    return statement;
  } catch (error) {
    const why = isPalisadeError(error) ? error.message : 'it is not JSON';
    problems.add(`the seal's statement cannot be read: ${why}`);
    return null;
  }
}

/** The facts of a predicate in the order in which differences help most. */
const FACTS = [
  'run_id',
  'stream',
  'status',
  'entries',
  'sealed_at',
  'head',
  'root',
  'manifests',
  'products',
] as const satisfies readonly (keyof SealStatement['predicate'])[];

function tellDifferences(sealed: SealStatement, expected: SealStatement, problems: Problems): void {
  const { completeness, ...facts } = sealed.predicate;
  if (completeness.dropped !== 0)
    problems.add(`the seal says that ${completeness.dropped} event(s) were dropped`);
  const same = (what: string, said: unknown, found: unknown): void => {
    const [a, b] = [canonicalJson(said), canonicalJson(found)];
    if (a === b) return;
    problems.add(
      a.length + b.length < 200 ? `sealed ${what} ${a}, recomputed ${b}` : `sealed ${what} ≠ recomputed`,
    );
  };
  for (const fact of FACTS) same(fact, facts[fact], expected.predicate[fact]);
  same('subject', sealed.subject, expected.subject);
}
