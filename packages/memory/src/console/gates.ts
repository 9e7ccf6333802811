import { type ConsoleGate, PalisadeError } from '@palisade/contracts';
import type { MemoryDatabase } from '../store/memory-database.ts';
import {
  type Change,
  type Console,
  changeRow,
  idNumber,
  idText,
  isParty,
  line,
  type Numbered,
  numberedRow,
  optionalText,
  type Party,
} from './console.ts';
import { sessionText } from './sessions.ts';

/*
 * A gate is open until as many different attesters as it needs allow it, which satisfies it, or until one denies it,
 * which rejects it. Both are final. Who opened it is no attester. It is known by its id: another gate of the same event is another gate (D-15).
 */

const MAX_REQUIRED = 100;

const GATE: Numbered = { table: 'gates', prefix: 'gat', what: 'gate', list: 'pal console gate-list' };

type Verdict = ConsoleGate['attestations'][number]['verdict'];
type Row = Omit<ConsoleGate, 'id' | 'attestations'> & { readonly id: number } & Record<
    string,
    null | number | string
  >;

export interface GateWish extends Change {
  readonly party: Party;
  readonly event: string;
  readonly type: ConsoleGate['type'];
  readonly required: number;
}

/** Errors: `invalid_input`. */
export function openGate(console: Console, wish: GateWish): Promise<ConsoleGate> {
  const { database } = console;
  const { required } = wish;
  if (required < 1 || required > MAX_REQUIRED)
    throw new PalisadeError('invalid_input', `a gate needs between 1 and ${MAX_REQUIRED} attestations`);
  const open = (now: number): number =>
    database.run(
      `INSERT INTO gates (event, type, required_attestations, status, opened_by, created_at)
       VALUES (?, ?, ?, 'open', ?, ?)`,
      line(wish.event, 'the event'),
      wish.type,
      required,
      wish.party.name,
      now,
    );
  return changeRow(console, wish, open, (id) => gateOf(database, id));
}

export interface Attestation extends Change {
  readonly party: Party;
  readonly id: string;
  readonly verdict: Verdict;
  readonly evidence: string | undefined;
}

/**
 * Adds what one attester says; who says it again changes nothing. Errors: `not_found`, `operation_not_permitted` for who
 * opened it and for one of the wrong kind, `invalid_state` when the gate is closed or the attester said otherwise before.
 */
export function attestGate(console: Console, wish: Attestation): Promise<ConsoleGate> {
  const { database } = console;
  const { party, verdict } = wish;
  const id = idNumber('gat', 'gate', wish.id);
  // A session is one attester, whatever it calls itself.
  const attester = party.session === undefined ? party.name : sessionText(party.session);
  const attest = (now: number): number => {
    const gate = gateOf(database, id);
    if (isParty(party, gate.opened_by))
      throw new PalisadeError('operation_not_permitted', 'who opens a gate does not attest to it', {
        why: `${gate.opened_by} has opened it`,
        next: 'have somebody else attest',
      });
    const before = gate.attestations.find(({ by }) => by === attester);
    if (before !== undefined) {
      if ((before.verdict === 'deny') === (verdict === 'deny')) return id;
      throw new PalisadeError('invalid_state', `${attester} said ${before.verdict} before`);
    }
    if (gate.status !== 'open')
      throw new PalisadeError('invalid_state', `the gate is ${gate.status}`, {
        next: 'pal console gate-list --all',
      });
    if (gate.type !== 'any' && gate.type !== kindOf(party))
      throw new PalisadeError(
        'operation_not_permitted',
        `the gate waits for attesters of type ${gate.type}`,
        {
          why: `${attester} is none`,
        },
      );
    database.run(
      'INSERT INTO attestations (gate, attester, verdict, evidence, at) VALUES (?, ?, ?, ?, ?)',
      id,
      attester,
      verdict,
      optionalText(wish.evidence),
      now,
    );
    const allowed = gate.attestations.length + 1;
    if (verdict === 'deny') close(database, id, 'rejected', now);
    else if (allowed >= gate.required_attestations) close(database, id, 'satisfied', now);
    return id;
  };
  return changeRow(console, wish, attest, (row) => gateOf(database, row));
}

function kindOf({ session, name }: Party): ConsoleGate['type'] {
  return session === undefined && name.startsWith('human:') ? 'human' : 'agent';
}

function close(database: MemoryDatabase, id: number, status: ConsoleGate['status'], now: number): void {
  database.run('UPDATE gates SET status = ?, closed_at = ? WHERE id = ?', status, now, id);
}

/** The newest first; closed ones too with `isEver`. */
export function listGates({ database }: Console, isEver: boolean): readonly ConsoleGate[] {
  return database
    .all<{ id: number }>(
      `SELECT id FROM gates WHERE ? OR status = 'open' ORDER BY id DESC LIMIT 1000`,
      isEver ? 1 : 0,
    )
    .map(({ id }) => gateOf(database, id));
}

function gateOf(database: MemoryDatabase, id: number): ConsoleGate {
  const row = numberedRow<Row>(database, GATE, id);
  return {
    ...row,
    id: idText('gat', id),
    attestations: database
      .all<ConsoleGate['attestations'][number] & Record<string, null | number | string>>(
        'SELECT attester AS by, verdict, evidence, at FROM attestations WHERE gate = ? ORDER BY at, attester',
        id,
      )
      .map((each) => ({ ...each })),
  };
}
