import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { root } from './paths.ts';

/** Files that take longest, longest first: most of their time they wait for other processes, while other files run beside them. */
const longest = [
  'src/main/writer/postgres/crash.test.ts',
  'src/main/writer/api/faults.test.ts',
  'src/main/writer/api/batch.test.ts',
  'src/main/host/writer-crash.test.ts',
  'src/main/host/crash.test.ts',
  'src/main/cli.test.ts',
  'src/main/cli.refusals.test.ts',
  'src/main/cli.serve.test.ts',
  'src/main/host/sandbox.test.ts',
  'src/main/host/host.test.ts',
  'src/main/sandbox/crash.test.ts',
  'src/token/covenant-fuzz.test.ts',
  'src/main/sandbox/merchant/delivery.test.ts',
  'src/chain/script-vectors.test.ts',
];

/**
 * The order in which test files start. Vitest's own guesses by the size of a file where nothing has run before, as in a fresh checkout,
 * and so may start the longest file last, with nothing left to run beside it. Projects stay together, since a worker is kept for the
 * next file of the same project only.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.indexOf(relative(root, moduleId).replaceAll('\\', '/'));
      return at < 0 ? longest.length : at;
    };
    const sorted = (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
    // what needs a process of its own keeps none, and so comes before those that do
    const projects = [...new Set(sorted.map(({ project }) => project))].sort(
      (a, b) => Number(b.config.isolate) - Number(a.config.isolate),
    );
    return projects.flatMap((project) => sorted.filter((file) => file.project === project));
  }
}
