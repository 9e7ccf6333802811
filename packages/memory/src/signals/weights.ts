/*
 * Every number that the signals are made of. WM-020 and WM-021 give those of risk; how well they do is
 * measured by the benchmark of memory, which prints its figures beside them.
 */

export const DAY_MS = 86_400_000;

export const RISK = {
  /** For each commit that changed the file. */
  churn: 1,
  /** For each of them within {@link RISK.recentDays}. */
  recent: 3,
  recentDays: 30,
  /** For each file that changes with it, of at most {@link RISK.mostNeighbors}. */
  neighbor: 2,
  mostNeighbors: 10,
  /** For each author, of at most {@link RISK.mostAuthors}. */
  author: 1,
  mostAuthors: 5,
  /** When the last change is within {@link RISK.freshDays}. */
  fresh: 2,
  freshDays: 14,
  high: 20,
  medium: 10,
  /** Of a file without history: for each structural link and each test, and how many of them count. */
  link: 2,
  test: 2,
  mostLinks: 3,
  mostTests: 2,
} as const;

export const CONFIDENCE = { history: 3, links: 2, tests: 2, blastRadius: 1, high: 6, medium: 3 } as const;

/** An index older than this is called stale (WM-028). */
export const STALE_MS = 24 * 3_600_000;

/** How long a task that was started is taken for the present one (WM-042). */
export const TASK_MS = 4 * 3_600_000;
