/**
 * A command line that cannot be understood. Exit code 2. It is kept apart from the product's own
 * errors so that wrong usage is reported without loading the contracts.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'invalid_input';
  readonly why: string | undefined;
  readonly next: string | undefined;

  constructor(message: string, details: { why?: string; next?: string } = {}) {
    super(message);
    this.why = details.why;
    this.next = details.next;
  }
}
