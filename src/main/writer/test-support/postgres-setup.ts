import type { TestProject } from 'vitest/node';
import { PostgresMissing, startPostgres } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of a running PostgreSQL server, in the project whose tests run on one. */
    postgres: string;
    /** Why that project has no server: there can be none here, or it failed. */
    noPostgres: { reason: string; failed: boolean };
  }
}

/**
 * One server for all test files of the project; each test makes a database of its own. Vitest runs no test of any project after a set-up that
 * throws, so what went wrong is handed to the tests of this project.
 */
export default async function setup(
  project: Pick<TestProject, 'provide'>,
  start: () => ReturnType<typeof startPostgres> = startPostgres,
): Promise<(() => Promise<void>) | undefined> {
  try {
    const server = await start();
    project.provide('postgres', server.url);
    return server.stop;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`The tests on PostgreSQL do not run: ${reason}.\n`);
    project.provide('noPostgres', { reason, failed: !(error instanceof PostgresMissing) });
    return undefined;
  }
}
