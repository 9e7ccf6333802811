/*
 * Every number that the signals are made of. WM-020 and WM-021 give those of the risk of one file; how well they do is
 * measured by the benchmark of memory, which prints its figures beside them.
 */

export const DAY_MS = 86_400_000;

/**
 * How strongly two files belong together: each commit of both counts
 * `(old + 1 / (1 + commits since / fadingCommits)) / sqrt(files of the commit - 1)`, and to their sum comes a little for what
 * is changed often anyway, lies in the same folder, or is linked by an import.
 *
 * Chosen on the last fifth of five histories (this one, flask, express, ripgrep, gin; `npm run bench:memory`): of the files that
 * were changed together with one, the first three hold one in 50, 74, 54, 56 and 74 % of cases. Counting alone holds one in
 * 36, 69, 48, 45 and 71 %; the files that are changed most in 42, 46, 23, 7 and 41 %; those of the folder in 36, 56, 31, 53, 50 %.
 */
export const COUPLING = {
  /**
   * Commits that change more files than this say nothing about which of them belong together: they are
   * counted as changes of each file and left out of pairs (D-01, FF-153).
   */
  widest: 100,
  /** One commit of both may be chance: files that share fewer are not counted as neighbours. */
  fewest: 2,
  old: 0.2,
  fadingCommits: 300,
  popular: 0.3,
  folder: 0.1,
  linked: 0.2,
} as const;

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

/**
 * What files are ranked by: each of the last `mostCommits` commits that changed one counts `1 / (1 + commits since / fadingCommits)`,
 * and every commit there ever was `old`.
 *
 * Chosen on seven histories (flask, express, ripgrep, gin, redis, requests, prettier), each asked about its last two fifths, with one
 * left out at a time: the choice was the same whichever it was. Of the changes that fixes made, the first fifth of the files then holds
 * 69, 66, 72, 68, 90, 79 and 85 %; by the score of one file 67, 59, 69, 62, 88, 76 and 81 %; those changed most 65, 60, 66, 62, 87, 77
 * and 78 %; the largest 65, 59, 64, 69, 79, 55 and 83 %. To count fixes more than other changes made it no better.
 */
export const HOTSPOT = { old: 0.02, fadingCommits: 100, mostCommits: 2_000 } as const;

export const CONFIDENCE = { history: 3, links: 2, tests: 2, blastRadius: 1, high: 6, medium: 3 } as const;

/** An index older than this is called stale (WM-028). */
export const STALE_MS = 24 * 3_600_000;

/** How long a task that was started is taken for the present one (WM-042). */
export const TASK_MS = 4 * 3_600_000;
