import { monitorEventLoopDelay } from 'node:perf_hooks';
import { keepMemorySmall } from '../src/main/infrastructure/memory.ts';
import { outputBody, TestSandbox } from '../src/main/sandbox/test-support/open-sandbox.ts';
import type { Report } from './report.ts';
import { ClientProcess } from './support/client-process.ts';
import { MemoryWatch } from './support/memory-watch.ts';

const FILES = 1_000;
const FILE_BYTES = 100_000;
const WARM_UP_FILES = 100;

/** The token project API under load: files handed in as Base64, each with its metadata, by a process other than this, the host. */
export async function run(report: Report): Promise<void> {
  // as the host does for itself
  keepMemorySmall();
  const sandbox = await TestSandbox.open({ maxRequestsPerSecond: 0 });
  const memory = new MemoryWatch();
  const client = await ClientProcess.start('./load/file-load.ts', {
    url: `${sandbox.service.endpoints().baseUrl}/token/one-sat-ord/create-output`,
    apiKey: sandbox.service.apiKey(),
    body: outputBody(await sandbox.createProject(), { contentType: 'image/png' }),
    bytes: FILE_BYTES,
  });
  try {
    await client.ask(WARM_UP_FILES);
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const { ms } = (await client.ask(FILES)) as { ms: number };
    delay.disable();
    report(`create-output, ${FILES} files of 100 KB`, FILES / (ms / 1_000), 'files/s', 'at least 150');
    report('event loop of the host meanwhile, p99', delay.percentile(99) / 1e6, 'ms', 'at most 50');
    report('memory of the host meanwhile, highest', memory.highest, 'MB', 'at most 400');
  } finally {
    memory.end();
    client.end();
    await sandbox.remove();
  }
}
