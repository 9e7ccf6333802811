import type { Check, VerificationReport } from '@palisade/contracts';

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
