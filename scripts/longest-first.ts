import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { root } from './paths.ts';

/** The slowest files, slowest first. They mostly wait for other processes, while other files run in parallel. */
const longest = [
  'src/main/writer/postgres/crash.test.ts',
  'src/main/writer/api/faults.test.ts',
  'src/main/writer/api/batch.test.ts',
  'scripts/docs/examples.test.ts',
  'src/main/host/crash.test.ts',
  'src/main/host/rehearsals.test.ts',
  'src/main/cli.serve.test.ts',
  'src/main/cli.test.ts',
  'src/main/host/host.test.ts',
  'src/main/host/networks.test.ts',
  'src/main/shell/host/utility-host.test.ts',
  'src/main/studio/import/importer.test.ts',
  'src/main/studio/import/commit/commit-kill.test.ts',
  'src/main/studio/import/hostile-files.test.ts',
  'src/main/studio/runs/runs.test.ts',
  'src/main/studio/runs/run-kill.test.ts',
  'src/main/host/wallet.test.ts',
  'src/main/host/sandbox.test.ts',
  'src/main/gateway/server/body-limits.test.ts',
  'src/main/host/reorganisation.test.ts',
  'src/main/writer/funding/service/service-funding.test.ts',
  'src/main/host/writer-crash.test.ts',
  'scripts/package/package.test.ts',
];

/**
 * Starts the slowest test files first. In a fresh checkout Vitest orders files by size, and may start the slowest file last, with nothing left
 * to run in parallel. The files of a project stay together, because a worker is reused only within a project.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.indexOf(relative(root, moduleId).replaceAll('\\', '/'));
      return at < 0 ? longest.length : at;
    };
    const sorted = (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
    // Isolated projects use each worker once, so they come before those that reuse workers.
    const projects = [...new Set(sorted.map(({ project }) => project))].sort(
      (a, b) => Number(b.config.isolate) - Number(a.config.isolate),
    );
    return projects.flatMap((project) => sorted.filter((file) => file.project === project));
  }
}
