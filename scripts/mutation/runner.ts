import { createVitest } from 'vitest/node';

/** A request of the parent: run the tests of these files, after a change of one. */
export interface Asked {
  readonly changed: string;
  readonly tests: readonly string[];
}

/** Runs tests on each request and reports whether they passed. The process is reused, since a start takes longer than most runs. */
const vitest = await createVitest('test', {
  watch: false,
  project: ['unit', 'unit-own-process'],
  bail: 1,
  reporters: [],
});
await vitest.standalone();

process.on('message', async ({ changed, tests }: Asked) => {
  vitest.invalidateFile(changed);
  const specifications = await vitest.globTestSpecifications([...tests]);
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  // Includes those of earlier runs.
  const own = testModules.filter((module) => specifications.some(({ moduleId }) => moduleId === module.moduleId));
  const passed = own.length > 0 && unhandledErrors.length === 0 && own.every((module) => module.ok());
  process.send?.({ passed });
});
process.send?.({ ready: true });
