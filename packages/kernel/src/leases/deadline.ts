/**
 * The earliest expiry a unit of work relied on. Where a body can wait for a row lock (PostgreSQL), the
 * time it decided with is old by the time it commits: the commit is refused once the deadline has
 * passed, so waiting never rescues a lapsed lease (AC-129).
 */
export class Deadline {
  #earliest = Infinity;

  get earliest(): number {
    return this.#earliest;
  }

  relyOn(expiresAt: number): void {
    if (expiresAt < this.#earliest) this.#earliest = expiresAt;
  }
}
