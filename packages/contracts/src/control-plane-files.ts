/** What is kept beside a repository of patches that came from a server. */
const OF_PATCHES: ReadonlySet<string> = new Set(['applied', '.gitignore']);

/** Whether a directory `.palisade` with these entries holds a control plane, and not merely what was applied from a server's. */
export function holdsControlPlane(names: readonly string[]): boolean {
  return !names.includes('applied') || names.some((name) => !OF_PATCHES.has(name));
}
