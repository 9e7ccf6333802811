import { canonicalBytes, type ContentHash, contentHash } from './canonical-json.ts';
import type { OutputRef, ProductFacts } from './events.ts';
import { limits } from './limits.ts';
import { jsonBytes, truncateText, truncateToJson } from './truncate.ts';

/** Bytes of the summary, of the verdict's report and of all warnings together, when a product is too big. */
const TEXT_BYTES = 16 * 1024;
const MAX_BLOCKS = 128;
const MAX_MODELS = 32;
const LEFT_OUT = ' outputs are left out of the record';
const MAX_MODEL_CHARS = 128;
/** Canonical JSON of an output's address, size and names of members, at most. */
const OUTPUT_BYTES = 128;

/** A list of all outputs, as bytes to store; the product names it as its last output. */
export interface OutputListing {
  readonly ref: ContentHash;
  /** Canonical JSON: an array of every output's `path`, `ref` and `size`. */
  readonly bytes: Buffer;
}

/** A product that fits in an event, and the listing that says what it leaves out. */
export interface BoundedProduct {
  readonly product: ProductFacts;
  /** Null when every output is in the product. */
  readonly listing: OutputListing | null;
}

/**
 * Cuts a product's facts to `limits.productBytes` of canonical JSON, so that the event that records
 * them can always be appended. What fits is not touched. Otherwise texts are cut first; then the
 * outputs are kept as far as they fit, those at `needed` paths before the others, a listing of all of them
 * becomes one more output, and a warning names how many are left out. The caller stores the listing; every
 * file itself is stored anyway. Idempotent. Outputs at needed paths always fit when {@link outputsBytes} of
 * the paths is within `limits.neededOutputBytes`.
 *
 * Nothing is assumed about the product: it may be the word of another process.
 */
export function boundProduct(product: ProductFacts, needed: ReadonlySet<string> = new Set()): BoundedProduct {
  const formed = wellFormed(product);
  if (fits(formed)) return { product: formed, listing: null };
  const short = withShortTexts(formed);
  if (fits(short)) return { product: short, listing: null };
  return withFewerOutputs(short, needed);
}

/** Whether a product's record leaves out outputs that were left: what it lists is not all there is then. */
export function isOutputsCut(product: ProductFacts): boolean {
  return (product.warnings ?? []).some(
    (warning) => /^\d+ of \d+ /.test(warning) && warning.includes(LEFT_OUT),
  );
}

/** What outputs at these paths take in a product's record, at most. */
export function outputsBytes(paths: Iterable<string>): number {
  let bytes = 0;
  for (const path of paths) bytes += jsonBytes(path) + OUTPUT_BYTES;
  return bytes;
}

function fits(product: ProductFacts): boolean {
  return canonicalBytes(product).byteLength <= limits.productBytes;
}

/** A lone surrogate has no canonical form. */
function wellFormed(product: ProductFacts): ProductFacts {
  const { summary, verify, warnings, outputs, usage } = product;
  return {
    ...product,
    ...(summary === undefined ? {} : { summary: summary.toWellFormed() }),
    ...(verify?.report === undefined ? {} : { verify: { ...verify, report: verify.report.toWellFormed() } }),
    ...(warnings === undefined ? {} : { warnings: warnings.map((text) => text.toWellFormed()) }),
    ...(outputs === undefined
      ? {}
      : { outputs: outputs.map((output) => ({ ...output, path: output.path.toWellFormed() })) }),
    ...(usage?.models === undefined
      ? {}
      : { usage: { ...usage, models: usage.models.map((model) => model.toWellFormed()) } }),
  };
}

function withShortTexts(product: ProductFacts): ProductFacts {
  const { summary, verify, warnings, usage, blocks } = product;
  return {
    ...product,
    ...(summary === undefined ? {} : { summary: truncateToJson(summary, TEXT_BYTES) }),
    ...(verify?.report === undefined
      ? {}
      : { verify: { ...verify, report: truncateToJson(verify.report, TEXT_BYTES, 'tail') } }),
    ...(warnings === undefined ? {} : { warnings: firstWarnings(warnings) }),
    ...(usage?.models === undefined
      ? {}
      : {
          usage: {
            ...usage,
            models: usage.models.slice(0, MAX_MODELS).map((model) => truncateText(model, MAX_MODEL_CHARS)),
          },
        }),
    ...(blocks === undefined ? {} : { blocks: blocks.slice(0, MAX_BLOCKS) }),
  };
}

function firstWarnings(warnings: readonly string[]): string[] {
  const kept: string[] = [];
  let room = TEXT_BYTES;
  for (const [i, warning] of warnings.entries()) {
    const text = truncateToJson(warning, TEXT_BYTES / 4);
    room -= jsonBytes(text) + 1;
    if (room < 0) {
      kept.push(`and ${warnings.length - i} more warnings`);
      break;
    }
    kept.push(text);
  }
  return kept;
}

function withFewerOutputs(product: ProductFacts, needed: ReadonlySet<string>): BoundedProduct {
  const all = product.outputs ?? [];
  const bytes = canonicalBytes(all);
  const listing = { ref: contentHash(bytes), bytes };
  const entry: OutputRef = { path: freePath(all), ref: listing.ref, size: bytes.byteLength };
  const keep = (kept: ReadonlySet<OutputRef>): ProductFacts => ({
    ...product,
    outputs: [...all.filter((output) => kept.has(output)), entry],
    warnings: [
      ...(product.warnings ?? []),
      `${all.length - kept.size} of ${all.length}${LEFT_OUT}; ${entry.path} lists all`,
    ],
  });
  const kept = new Set<OutputRef>();
  // What is left of the room once there is no output but the listing.
  let room = limits.productBytes - canonicalBytes(keep(kept)).byteLength;
  const isNeeded = (output: OutputRef): boolean => needed.has(output.path);
  for (const output of [...all.filter(isNeeded), ...all.filter((other) => !isNeeded(other))]) {
    room -= canonicalBytes(output).byteLength + 1;
    if (room < 0) break;
    kept.add(output);
  }
  return { product: keep(kept), listing };
}

/** A name no output has, so that the listing never takes the place of a file the agent left. */
function freePath(outputs: readonly OutputRef[]): string {
  const taken = new Set(outputs.map((output) => output.path));
  for (let i = 0; ; i++) {
    const path = i === 0 ? 'outputs.json' : `outputs-${i}.json`;
    if (!taken.has(path)) return path;
  }
}
