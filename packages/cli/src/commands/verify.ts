import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type BundleEntry,
  type EvidenceBundle,
  evidenceLimits,
  exportEvidence,
  getTrustRoot,
  type TrustRoot,
  type VerificationReport,
} from '@palisade/contracts';
import { bundleBytes, parseBundle, parseTrustRoot, verifyBundle } from '@palisade/evidence';
import type { Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { renderRow } from '../output/row.ts';
import { moment } from '../output/time.ts';
import { readInput } from '../read-input.ts';
import type { verifyCommand } from '../tree/product-commands.ts';
import type { Handler } from './handler.ts';

const LEDGER_ENDS = 3;

/**
 * `pal verify BUNDLE|RUN`: recomputes everything here with trust material that never comes from the
 * bundle. Exit 1 when not intact (DI-245). A run of this installation may be checked with the
 * installation's own keys; that is said, because such keys vouch for themselves.
 */
export const execute: Handler<typeof verifyCommand> = async (invocation, args, flags) => {
  const isFile = args.bundle !== '-' && existsSync(resolve(invocation.directory, args.bundle));
  const bundle = isFile
    ? parseBundle(await readInput(invocation, args.bundle, evidenceLimits.bundleBytes))
    : parseBundle(bundleBytes(await invocation.call(exportEvidence, { run: args.bundle })));
  const trust = await trustOf(invocation, flags.trust, isFile);
  const report = verifyBundle(bundle, trust.root);
  emit(invocation, {
    json: { ...report, trust: trust.said },
    records: report.checks,
    ids: [report.run_id],
    text: () => reportLines(invocation, report, bundle, trust.said, flags.full),
  });
  if (report.intact && !isFile) invocation.hint(`pal evidence export ${report.run_id} -o evidence.json`);
  return report.intact ? 0 : 1;
};

async function trustOf(
  invocation: Invocation,
  file: string | undefined,
  isFile: boolean,
): Promise<{ readonly root: TrustRoot | null; readonly said: string }> {
  if (file !== undefined) {
    const root = parseTrustRoot(await readInput(invocation, file, 1 << 20));
    return { root, said: `checked here with trust root ${foreignLine(file)}` };
  }
  if (isFile)
    return {
      root: null,
      said: 'checked here without a trust root: signatures are not checked (--trust FILE)',
    };
  const { trust_root } = await invocation.call(getTrustRoot, {});
  const root = parseTrustRoot(Buffer.from(JSON.stringify(trust_root)));
  return { root, said: "checked here with this installation's own keys, which vouch for themselves" };
}

function reportLines(
  invocation: Invocation,
  report: VerificationReport,
  bundle: EvidenceBundle,
  said: string,
  full: boolean,
): string[] {
  const { style, times } = invocation.settings;
  const verdict = report.claim.toUpperCase();
  const entry = (event: BundleEntry): string =>
    `  ${String(event.seq).padStart(4)}  ${moment(event.at, times)}  ${foreignLine(event.type).padEnd(16)} ${event.hash.slice(0, 16)}`;
  const { entries } = bundle;
  const ledger =
    full || entries.length <= 2 * LEDGER_ENDS
      ? entries.map(entry)
      : [
          ...entries.slice(0, LEDGER_ENDS).map(entry),
          `        ${entries.length - 2 * LEDGER_ENDS} more (--full)`,
          ...entries.slice(-LEDGER_ENDS).map(entry),
        ];
  return [
    `${style.paint(report.intact ? 'good' : 'bad', verdict)}  ${foreignLine(report.run_id)}   ${said}`,
    ...report.checks.map((check) =>
      renderRow(
        {
          state: check.ok === 'n/a' ? 'n/a' : check.ok ? 'ok' : 'fail',
          id: check.name,
          title: check.name === report.failure ? `${check.detail}  <- first failure` : check.detail,
        },
        { ...style, columns: undefined },
        13,
      ),
    ),
    `ledger  ${entries.length} events`,
    ...ledger,
  ];
}
