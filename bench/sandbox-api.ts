import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { TestSandbox } from '../src/main/sandbox/test-support/open-sandbox.ts';
import type { Report } from './report.ts';

const FILES = 1_000;
const FILE_BYTES = 100_000;
const AT_ONCE = 8;

/** The token project API under load: files handed in as Base64, each with its metadata. */
export async function run(report: Report): Promise<void> {
  const sandbox = await TestSandbox.open({ maxRequestsPerSecond: 0 });
  try {
    const projectUid = await sandbox.createProject();
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const from = performance.now();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, lane) => {
        for (let at = lane; at < FILES; at += AT_ONCE) {
          await sandbox.createOutput(projectUid, {
            b64File: randomBytes(FILE_BYTES).toString('base64'),
            contentType: 'image/png',
          });
        }
      }),
    );
    const seconds = (performance.now() - from) / 1_000;
    delay.disable();
    report(`create-output, ${FILES} files of 100 KB`, FILES / seconds, 'files/s', 'at least 150');
    report('longest hold of the event loop meanwhile (p99)', delay.percentile(99) / 1e6, 'ms', 'at most 50');
    report('memory of the process', process.memoryUsage().rss / 1e6, 'MB', 'at most 400');
  } finally {
    await sandbox.remove();
  }
}
