import type { Check, EvidenceBundle, VerificationReport } from '@palisade/contracts';

/** Entries shown at each end of a ledger that is not shown whole (DI-254). */
export const LEDGER_ENDS = 3;

/**
 * A report as plain text: the verdict, one row per check, and the row that decided when it failed
 * (DI-254). Names and details that come from the bundle lose control and direction characters.
 */
export function renderReport(report: VerificationReport): string {
  const width = Math.max(...report.checks.map((check) => check.name.length));
  const rows = report.checks.map((check) => {
    const flag = check.name === report.failure ? '  <-- first failure' : '';
    return `${word(check).padEnd(4)} ${check.name.padEnd(width)}  ${visible(check.detail)}${flag}`;
  });
  return [`${headline(report)}  ${visible(report.run_id)}`, ...rows, ''].join('\n');
}

/** The ledger as text, one line an entry: its first and last {@link LEDGER_ENDS}, or all of it. */
export function renderLedger({ entries }: EvidenceBundle, full: boolean): string {
  const left = entries.length - 2 * LEDGER_ENDS;
  const lines = entries.map(({ seq, at, type, hash }) => {
    const date = new Date(at);
    const time = Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
    return `${String(seq).padStart(6)}  ${time}  ${visible(type).padEnd(20)} ${hash.slice(0, 16)}`;
  });
  if (!full && left > 0) lines.splice(LEDGER_ENDS, left, `        ${left} more (--full)`);
  return [`ledger  ${entries.length} events`, ...lines, ''].join('\n');
}

/** A report as JSON, for programs: the report's own members, indented, one newline at the end. */
export function reportJson(report: VerificationReport): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

function headline(report: VerificationReport): string {
  const claim = report.claim.toUpperCase();
  const isSigned = report.checks.some((check) => check.name === 'signature' && check.ok === true);
  return report.intact && !isSigned ? `${claim} (signature not checked)` : claim;
}

function word(check: Check): string {
  if (check.ok === 'n/a') return 'n/a';
  return check.ok ? 'ok' : 'FAIL';
}

/** Foreign text on a terminal: no C0, C1, bidirectional or other invisible control, no line break. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
