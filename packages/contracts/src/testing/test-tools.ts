/** The part of vitest (or of any runner shaped like it) that a conformance suite uses, so that none is a dependency. */
export interface TestTools {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: {
    (name: string, body: () => Promise<void> | void, timeoutMs?: number): unknown;
    /** Reports a test as skipped; the name carries the reason. */
    readonly skip: (name: string, body: () => void) => unknown;
  };
  readonly expect: (value: unknown, message?: string) => Matchers;
}

/** The assertions a conformance suite makes. */
export interface Matchers {
  readonly not: Matchers;
  toBe(expected: unknown): void;
  toEqual(expected: unknown): void;
  toContain(expected: unknown): void;
  toMatch(expected: RegExp): void;
  toBeLessThan(expected: number): void;
  toBeGreaterThanOrEqual(expected: number): void;
}
