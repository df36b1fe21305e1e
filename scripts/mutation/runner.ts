import { createVitest } from 'vitest/node';

/** What the parent asks: the tests of these files, after a change of one. */
export interface Asked {
  readonly changed: string;
  readonly tests: readonly string[];
}

/** Runs tests as often as it is asked to, and says whether they passed. It lives on, as a start costs more than most runs. */
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
  // those of earlier runs are among them
  const own = testModules.filter((module) => specifications.some(({ moduleId }) => moduleId === module.moduleId));
  const passed = own.length > 0 && unhandledErrors.length === 0 && own.every((module) => module.ok());
  process.send?.({ passed });
});
process.send?.({ ready: true });
