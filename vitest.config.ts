import { defineConfig } from 'vitest/config';

const writer = 'src/main/writer';

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'src/**/*.test.tsx', 'scripts/**/*.test.ts'],
          exclude: [`${writer}/postgres/**`],
        },
      },
      {
        // The data writer's whole suite once more, on a real PostgreSQL server, and what only several processes can show.
        extends: true,
        test: {
          name: 'postgres',
          include: [`${writer}/**/*.test.ts`],
          globalSetup: `${writer}/test-support/postgres-setup.ts`,
          setupFiles: `${writer}/test-support/needs-postgres.ts`,
        },
      },
    ],
  },
});
