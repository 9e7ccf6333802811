/** Credentials that are remembered at once. */
const MOST = 10_000;

/**
 * Hashes of what was found good lately. It does not wait for what others try from the same address: one program with a wrong token
 * would otherwise keep every other one on its machine out.
 */
export class RecentlyGood {
  /** In the order in which they were found good first. */
  readonly #hashes = new Set<string>();

  has(hash: string): boolean {
    return this.#hashes.has(hash);
  }

  add(hash: string): void {
    this.#hashes.add(hash);
    if (this.#hashes.size <= MOST) return;
    const [oldest = ''] = this.#hashes;
    this.#hashes.delete(oldest);
  }

  delete(hash: string): void {
    this.#hashes.delete(hash);
  }
}
