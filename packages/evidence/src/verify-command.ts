import { constants, open } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import {
  errorCatalogue,
  evidenceLimits,
  isPalisadeError,
  PalisadeError,
  type TrustRoot,
} from '@palisade/contracts';
import { parseBundle } from './bundle.ts';
import { parseTrustRoot } from './keys/trust-root.ts';
import { renderLedger, renderReport, reportJson } from './render-report.ts';
import { verifyBundle } from './verify/verify-bundle.ts';

const USAGE = `usage: palisade-verify BUNDLE [--trust FILE] [--json] [--full]

Recomputes the evidence of one run from the bundle and your own trust root, and reads nothing else:
no network, no configuration, no installation.

  --trust FILE  whose keys, timestamps and witnesses you accept; it never comes with the bundle
  --json        the report as JSON
  --full        every entry of the ledger, not only its first and last

exit  0 intact and signed by a key of the trust root, 1 not intact, 2 wrong usage or unusable input,
      6 intact, but nothing vouches for it: no trust root was given
`;

/** Nothing speaks against the bundle and nothing vouches for it: `requirements_unmet`. */
const UNVOUCHED = 6;

/** Where text goes; `process.stdout` and `process.stderr` are such. */
export interface TextOut {
  write(text: string): unknown;
}

/** The program `palisade-verify` (DI-253): prints its report or one line of error, gives the exit status. */
export async function verifyCommand(args: readonly string[], out: TextOut, err: TextOut): Promise<number> {
  try {
    return await verify(args, out);
  } catch (error) {
    if (!isPalisadeError(error)) throw error;
    const why = error.why === undefined ? '' : `: ${error.why}`;
    err.write(`palisade-verify: ${error.message}${why} (${error.code})\n`);
    return errorCatalogue[error.code].exit;
  }
}

async function verify(args: readonly string[], out: TextOut): Promise<number> {
  const { values, positionals } = parse(args);
  if (values.help === true) {
    out.write(USAGE);
    return 0;
  }
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw usage('give exactly one bundle');
  const bundle = parseBundle(await read(file));
  const trustRoot = values.trust === undefined ? null : await readTrustRoot(values.trust);
  const report = verifyBundle(bundle, trustRoot);
  if (values.json === true) out.write(reportJson(report));
  else out.write(`${renderReport(report)}${renderLedger(bundle, values.full === true)}`);
  if (!report.intact) return 1;
  return trustRoot === null ? UNVOUCHED : 0;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        trust: { type: 'string' },
        json: { type: 'boolean' },
        full: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch {
    throw usage('an option is unknown or lacks its value');
  }
}

async function readTrustRoot(file: string): Promise<TrustRoot> {
  return parseTrustRoot(await read(file));
}

/** A whole file; it is measured before it is read, and opening a pipe that nobody writes to does not wait. */
async function read(file: string): Promise<Buffer> {
  const opened = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(
    (cause: unknown) => {
      throw new PalisadeError('not_found', `${JSON.stringify(file)} cannot be opened`, { cause });
    },
  );
  try {
    const facts = await opened.stat();
    if (!facts.isFile()) throw new PalisadeError('invalid_input', `${JSON.stringify(file)} is not a file`);
    if (facts.size > evidenceLimits.bundleBytes + 1)
      throw new PalisadeError(
        'too_large',
        `${JSON.stringify(file)} has more than ${evidenceLimits.bundleBytes} bytes`,
      );
    return await opened.readFile();
  } finally {
    await opened.close();
  }
}

function usage(why: string): PalisadeError {
  return new PalisadeError('invalid_input', 'wrong usage', { why: `${why}; see palisade-verify --help` });
}
