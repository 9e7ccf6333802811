/** What is kept beside a repository of patches that came from a server. */
const OF_PATCHES: ReadonlySet<string> = new Set(['applied', '.gitignore']);

/** Whether a directory `.palisade` with these entries holds a control plane, and not merely what was applied from a server's. */
export function holdsControlPlane(names: readonly string[]): boolean {
  return !names.includes('applied') || names.some((name) => !OF_PATCHES.has(name));
}

/** Owner and mode of a directory, as the system tells them. */
interface Ownership {
  readonly uid: number;
  readonly mode: number;
}

/** Whether nobody but `uid` writes a directory `.palisade`: what is queued in it is carried out as whoever opens it. Undefined where there are no such ids. */
export function isOwnHome({ uid: owner, mode }: Ownership, uid: number | undefined): boolean {
  return uid === undefined || (owner === uid && (mode & 0o022) === 0);
}
