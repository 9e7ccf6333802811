import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/**/*.test.ts', 'tests/**/*.test.ts', 'examples/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Real processes on shared machines: a continuous run gives a failed test two more chances and reports it as
    // flaky; at a developer's desk a failure is a failure.
    retry: process.env['CI'] === undefined ? 0 : 2,
    pool: 'forks',
    maxWorkers: 2,
  },
});
