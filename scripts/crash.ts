/**
 * `npm run test:crash` kills the data writer a thousand times under load and holds what it acknowledged against the sandbox's blocks;
 * `npm run test:crash -- 50` does so fifty times.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCrashLoop } from '../src/main/test-support/writer-crash-loop.ts';

const kills = Number(process.argv[2] ?? 1_000);
const folder = mkdtempSync(join(tmpdir(), 'planchet-crash-'));
const started = performance.now();
let told = 0;
try {
  const report = await runCrashLoop({
    kills,
    folder,
    progress: (so) => {
      if (so.kills < told + 25) return;
      told = so.kills;
      console.log(`${so.kills} kills, ${so.acknowledged} documents, ${so.lost.length} lost, ${so.twice.length} twice`);
    },
  });
  const { acknowledged, repeated, onChain, lost, twice } = report;
  console.log(
    `${report.kills} kills in ${((performance.now() - started) / 1_000).toFixed(0)} s: ${acknowledged} documents acknowledged, ` +
      `${repeated} sent again, ${onChain} on the chain; ${lost.length} lost, ${twice.length} twice`,
  );
  for (const text of [...lost, ...twice].slice(0, 20)) console.log(text);
  process.exitCode = lost.length + twice.length === 0 && onChain === acknowledged ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
