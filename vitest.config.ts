import { defineConfig } from 'vitest/config';
import { doorsOfProduct } from './tests/support/product.ts';

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Real processes on shared machines: a continuous run gives a failed test two more chances and reports it as
    // flaky; at a developer's desk a failure is a failure.
    retry: process.env['CI'] === undefined ? 0 : 2,
    pool: 'forks',
    projects: [
      {
        extends: true,
        plugins: [doorsOfProduct],
        test: {
          name: 'installations',
          include: ['tests/**/*.test.ts', 'examples/**/*.test.ts'],
          globalSetup: 'tests/support/build-product.ts',
          maxWorkers: 4,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'rooms',
          include: ['packages/**/*.test.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
