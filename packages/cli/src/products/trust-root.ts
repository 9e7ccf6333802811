/** A trust root as it is written to a file. */
export function trustRootBytes(trustRoot: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(trustRoot, null, 2)}\n`);
}
