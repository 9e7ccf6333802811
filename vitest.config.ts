import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { doorsOfProduct } from './tests/support/product.ts';

const INSTALLATIONS = 'installations';

/** Suites that put something else in a module's place, or declare operations of their own. */
const OWN_MODULES = 'packages/**/*.isolated.test.ts';

const DOCUMENTED_ANSWERS = 'tests/support/documented-answers.ts';

/** Whole installations take longest and come first, so that short files fill up what is left of a run. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification): number => (project.name === INSTALLATIONS ? 0 : 1);
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // As long as a busy machine may need for what one moment is enough for.
    expect: { poll: { timeout: 30_000 } },
    // Real processes on shared machines: a continuous run gives a failed test two more chances and reports it as
    // flaky; at a developer's desk a failure is a failure.
    retry: process.env['CI'] === undefined ? 0 : 2,
    pool: 'forks',
    // Most of them wait for processes of their own most of the time: two processors are kept busy by five.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        plugins: [doorsOfProduct],
        test: {
          name: INSTALLATIONS,
          include: ['tests/**/*.test.ts', 'examples/**/*.test.ts'],
          globalSetup: 'tests/support/build-product.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'rooms',
          include: ['packages/**/*.test.ts'],
          exclude: [OWN_MODULES],
          setupFiles: DOCUMENTED_ANSWERS,
          // Suites of one worker share the modules they import, which took a third of a run's processor time.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'rooms-isolated', include: [OWN_MODULES], setupFiles: DOCUMENTED_ANSWERS },
      },
    ],
  },
});
