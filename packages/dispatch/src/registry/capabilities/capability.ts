import {
  assertSafePath,
  type BundleFile,
  type CapabilityFile,
  encodeBundle,
  limits,
  PalisadeError,
} from '@palisade/contracts';
import { assertNoCredentials } from '../credential-scan.ts';

/**
 * The bytes of a capability's bundle from the files as sent. Paths are checked, every file is scanned
 * for credentials whether it is text or not, and the total is bounded before anything is decoded
 * (DI-041, DI-042). Raises `unsafe_path`, `credential_in_text`, `too_large`, `invalid_input`.
 */
export function bundleOf(
  name: string,
  files: readonly CapabilityFile[],
  allowedPatterns: readonly string[] = [],
): Buffer {
  assertSize(name, files);
  const decoded = files.map((file) => decode(name, file));
  const bundle = encodeBundle(name, decoded);
  for (const { path, bytes } of decoded) {
    const place = `capability:${name}:${path}`;
    assertNoCredentials(`${place} (its path)`, path, allowedPatterns);
    assertNoCredentials(place, bytes, allowedPatterns);
  }
  return bundle;
}

function assertSize(name: string, files: readonly CapabilityFile[]): void {
  let least = 0;
  for (const { base64 } of files) {
    least += Math.floor(base64.length / 4) * 3 - 2;
    if (least > limits.capabilityBytes)
      throw new PalisadeError(
        'too_large',
        `the capability ${name} has more than ${limits.capabilityBytes} bytes`,
      );
  }
}

function decode(name: string, { path, base64, executable = false }: CapabilityFile): BundleFile {
  assertSafePath(path);
  const bytes = Buffer.from(base64, 'base64');
  // Node skips what is not base64; a file that would come out cut is refused instead.
  if (bytes.toString('base64') !== base64)
    throw new PalisadeError('invalid_input', `a file of the capability ${name} is not base64`, {
      issues: [{ path: `files[${path}].base64`, message: 'must be base64 with padding' }],
    });
  return { path, bytes, executable };
}
