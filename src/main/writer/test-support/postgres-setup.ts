import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of a running PostgreSQL server, in the project whose tests run on one. */
    postgres: string;
  }
}

/** One server for all test files of the project; each test makes a database of its own. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const server = await startPostgres();
  if (server === undefined) return undefined;
  project.provide('postgres', server.url);
  return server.stop;
}
