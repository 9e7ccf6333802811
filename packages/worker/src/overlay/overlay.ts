import { readFileSync } from 'node:fs';
import {
  type AttemptSpec,
  type BundleFile,
  contentHash,
  decodeBundle,
  findPathConflict,
  PalisadeError,
  quotePath,
} from '@palisade/contracts';
import { writeFileSafely } from './safe-file.ts';

/** A capability's own setup script: every capability may bring one, all run in order. */
const SETUP_FILES: ReadonlySet<string> = new Set(['palisade-setup.sh', 'pangolin-setup.sh']);

/** A setup script that was put into the workspace, to run in this order. */
export interface SetupScript {
  readonly capability: string;
  /** Relative to the workspace. */
  readonly path: string;
}

/**
 * Writes the files of all capabilities into the workspace (DI-105). A later capability replaces a
 * file of an earlier one or of the workspace, and each replacement is told; setup scripts do not
 * replace each other. Nothing is written unless every bundle is intact and all fit together.
 *
 * @param root absolute path of the workspace
 * @param capabilities in the order of the attempt
 * @param warn told of every replacement
 * @throws PalisadeError `integrity_mismatch` for bytes that are not what their hash says and for files
 *   and directories in each other's place, `unsafe_path` for a path that leaves the workspace
 */
export function overlayCapabilities(
  root: string,
  capabilities: AttemptSpec['capabilities'],
  warn: (text: string) => void,
): SetupScript[] {
  const merged = new Map<string, { readonly file: BundleFile; readonly capability: string }>();
  const scripts: { readonly capability: string; readonly file: BundleFile }[] = [];
  for (const { name, hash, path } of capabilities) {
    for (const file of readBundle(name, hash, path)) {
      if (SETUP_FILES.has(file.path)) {
        scripts.push({ capability: name, file });
        continue;
      }
      const earlier = merged.get(file.path);
      if (earlier !== undefined && !sameFile(earlier.file, file))
        warn(`capability ${name} replaces ${quotePath(file.path)} of capability ${earlier.capability}`);
      merged.set(file.path, { file, capability: name });
    }
  }
  assertTypesFit(merged.keys());
  for (const { file, capability } of merged.values()) {
    const { replaced } = writeFileSafely(root, file.path, file.bytes, file.executable);
    if (replaced) warn(`capability ${capability} replaces ${quotePath(file.path)} of the workspace`);
  }
  return scripts.map(({ capability, file }, i) => {
    const path = `.palisade/setup/${String(i).padStart(2, '0')}.sh`;
    writeFileSafely(root, path, file.bytes, true);
    return { capability, path };
  });
}

/** The files of a capability; `integrity_mismatch` when they are not what its address says. */
export function readBundle(name: string, hash: string, path: string): readonly BundleFile[] {
  const bytes = readFileSync(path);
  if (contentHash(bytes) !== hash)
    throw new PalisadeError(
      'integrity_mismatch',
      `the bundle of capability ${name} does not hash to its address`,
    );
  return decodeBundle(bytes).files;
}

function assertTypesFit(paths: Iterable<string>): void {
  const conflict = findPathConflict(paths);
  if (conflict === null) return;
  throw new PalisadeError(
    'integrity_mismatch',
    `the capabilities do not fit together: ${quotePath(conflict.first)} and ${quotePath(conflict.second)} (${conflict.kind})`,
  );
}

function sameFile(a: BundleFile, b: BundleFile): boolean {
  return a.executable === b.executable && Buffer.compare(a.bytes, b.bytes) === 0;
}
