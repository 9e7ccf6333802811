import type { TestCommit } from './history.ts';

/** Numbers from 0 to 1 that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Commits of three people over a few files, some of which change far more often than others. */
export function randomHistory(commits: number, files: number, seed: number): TestCommit[] {
  const random = seeded(seed);
  const people = ['ada', 'bob', 'cyd'].map((name) => [name, `${name}@example.org`] as const);
  return Array.from({ length: commits }, (_, at) => {
    const width = 1 + Math.floor(random() * 5);
    const touched = Array.from({ length: width }, () => `src/f${Math.floor(random() ** 2 * files)}.ts`);
    return {
      message: random() < 0.3 ? 'Fix it' : 'Change it',
      author: people[Math.floor(random() * people.length)] ?? ['x', 'x@example.org'],
      files: Object.fromEntries(touched.map((path) => [path, `// ${at}\n`])),
    };
  });
}
