import { existsSync } from 'node:fs';
import {
  type BundleEntry,
  type EvidenceBundle,
  evidenceLimits,
  exportEvidence,
  getTrustRoot,
  type Isolation,
  isPalisadeError,
  Manifest,
  type TrustRoot,
  type VerificationReport,
} from '@palisade/contracts';
import { bundleBytes, LEDGER_ENDS, parseBundle, parseTrustRoot, verifyBundle } from '@palisade/evidence';
import type { Invocation } from '../invocation.ts';
import { foreignLine, foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { renderRow } from '../output/row.ts';
import { sandboxText } from '../output/sandbox-text.ts';
import { count, moment } from '../output/time.ts';
import { readInput } from '../read-input.ts';
import { UsageError } from '../tree/usage-error.ts';
import { userPath } from '../user-path.ts';
import type { verifyCommand } from '../tree/product-commands.ts';
import type { Handler } from './handler.ts';

/** Exit code when nothing speaks against a bundle and nothing vouches for it: `requirements_unmet`. */
const UNVOUCHED_EXIT = 6;

/**
 * `pal verify BUNDLE|RUN`: recomputes everything here with trust material that never comes from the
 * bundle. Exit 1 when not intact (DI-245), 6 when a bundle came without a trust root: whoever wrote it
 * could have made it up (DI-247). A run of this installation may be checked with the
 * installation's own keys; that is said, because such keys vouch for themselves.
 */
export const execute: Handler<typeof verifyCommand> = async (invocation, args, flags) => {
  const isFile = args.bundle !== '-' && existsSync(userPath(invocation.directory, args.bundle));
  const bundle = isFile
    ? bundleOf(await readInput(invocation, args.bundle, evidenceLimits.bundleBytes), args.bundle)
    : parseBundle(bundleBytes(await exported(invocation, args.bundle)));
  const trust = await trustOf(invocation, flags.trust, isFile);
  const report = verifyBundle(bundle, trust.root);
  emit(invocation, {
    json: {
      ...report,
      signature_checked: trust.root !== null,
      trust: trust.said,
      sandboxes: sandboxesOf(bundle),
    },
    records: report.checks,
    ids: [report.run_id],
    text: () => reportLines(invocation, report, bundle, trust, flags.full),
  });
  if (report.intact && !isFile) invocation.hint(`pal evidence export ${report.run_id} -o evidence.json`);
  if (!report.intact) return 1;
  if (trust.root !== null) return 0;
  invocation.hint(`pal verify ${args.bundle} --trust FILE`);
  return UNVOUCHED_EXIT;
};

/** The bundle of a run here. A word that names a file which is not there is said to, whatever the control plane thinks. */
async function exported(invocation: Invocation, word: string): Promise<EvidenceBundle> {
  try {
    return await invocation.call(exportEvidence, { run: word });
  } catch (error) {
    const isUnknown = isPalisadeError(error, 'not_initialized') || isPalisadeError(error, 'not_found');
    if (isUnknown && /[/\\]|\.[A-Za-z]\w*$/.test(word))
      throw new UsageError(`no such file: ${word}`, {
        next: 'pal verify RUN, or the path of a bundle (pal evidence export RUN -o FILE)',
      });
    throw error;
  }
}

function bundleOf(bytes: Buffer, file: string): EvidenceBundle {
  try {
    return parseBundle(bytes);
  } catch (error) {
    if (!reads(() => parseTrustRoot(bytes))) throw error;
    throw new UsageError(`${file} is a trust root, not a bundle`, {
      next: `pal verify BUNDLE --trust ${file}`,
    });
  }
}

function trustRootOf(bytes: Buffer, file: string): TrustRoot {
  try {
    return parseTrustRoot(bytes);
  } catch (error) {
    if (!reads(() => parseBundle(bytes))) throw error;
    throw new UsageError(`${file} is a bundle, not a trust root`, {
      why: 'a trust root holds the public keys, and comes from the installation, not with the bundle',
    });
  }
}

function reads(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

interface Trust {
  readonly root: TrustRoot | null;
  readonly said: string;
}

async function trustOf(invocation: Invocation, file: string | undefined, isFile: boolean): Promise<Trust> {
  if (file !== undefined) {
    const root = trustRootOf(await readInput(invocation, file, evidenceLimits.bundleBytes), file);
    return { root, said: `checked here with trust root ${foreignName(file)}` };
  }
  if (isFile)
    return {
      root: null,
      said: 'consistent or not, nothing vouches for it: checked here without a trust root (--trust FILE)',
    };
  const { trust_root } = await invocation.call(getTrustRoot, {});
  const root = parseTrustRoot(Buffer.from(JSON.stringify(trust_root)));
  return { root, said: "checked here with this installation's own keys, which vouch for themselves" };
}

function reportLines(
  invocation: Invocation,
  report: VerificationReport,
  bundle: EvidenceBundle,
  trust: Trust,
  full: boolean,
): string[] {
  const { style, times } = invocation.settings;
  const verdict = verdictOf(report, bundle, trust.root);
  const isGood = report.intact && trust.root !== null;
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
    `${style.paint(isGood ? 'good' : 'bad', verdict)}  ${foreignLine(report.run_id)}   ${trust.said}`,
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
    ...sandboxesOf(bundle).map((found) => `${sandboxText(found)}  ${count(found.attempts, 'attempt')}`),
    `ledger  ${entries.length} events`,
    ...ledger,
  ];
}

interface UsedSandbox {
  readonly sandbox: string;
  readonly isolation: Isolation;
  readonly attempts: number;
}

/** Where the run's attempts were allowed to run, as their manifests say; whether those are genuine is a check of its own. */
function sandboxesOf(bundle: EvidenceBundle): UsedSandbox[] {
  const used = new Map<string, UsedSandbox>();
  for (const value of bundle.manifests) {
    const parsed = Manifest.safeParse(value);
    if (!parsed.success) continue;
    const { provider, isolation } = parsed.data.sandbox;
    const key = `${provider} ${isolation}`;
    used.set(key, { sandbox: provider, isolation, attempts: (used.get(key)?.attempts ?? 0) + 1 });
  }
  return [...used.values()];
}

/** The first words a reader sees; they claim no more than was checked. */
function verdictOf(report: VerificationReport, bundle: EvidenceBundle, root: TrustRoot | null): string {
  if (report.intact) return root === null ? 'SIGNATURE NOT CHECKED' : report.claim.toUpperCase();
  const keyid = bundle.seal.signatures[0]?.keyid;
  const isUnknownKey =
    report.failure === 'signature' &&
    root !== null &&
    keyid !== undefined &&
    !Object.hasOwn(root.keys, keyid);
  return isUnknownKey ? 'SIGNED BY A KEY THAT IS NOT IN THE TRUST ROOT' : report.claim.toUpperCase();
}
