/**
 * `npm run test:crash` kills the data writer a thousand times under load and holds what it acknowledged against the sandbox's blocks;
 * `npm run test:crash -- 50` does so fifty times; `npm run test:crash -- 50 postgres` with two writers that share a queue in PostgreSQL,
 * one of which also stands still for longer than its claims hold before every fifth kill.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCrashLoop } from '../src/main/test-support/writer-crash-loop.ts';
import { startPostgres } from '../src/main/writer/test-support/postgres.ts';

const kills = Number(process.argv[2] ?? 1_000);
const shared = process.argv[3] === 'postgres';
const folder = mkdtempSync(join(tmpdir(), 'planchet-crash-'));
const server = shared ? await startPostgres() : undefined;
if (shared && server === undefined) throw new Error('no PostgreSQL programs are on this machine');
const started = performance.now();
let told = 0;
try {
  const report = await runCrashLoop({
    kills,
    folder,
    ...(server === undefined
      ? {}
      : {
          settings: { databaseUrl: server.url },
          writers: 2,
          claimMs: 1_000,
          pausedTransactionMs: 5_000,
          pauseEvery: 5,
        }),
    progress: (so) => {
      if (so.kills < told + 25) return;
      told = so.kills;
      console.log(`${so.kills} kills, ${so.acknowledged} documents, ${so.lost.length} lost, ${so.twice.length} twice`);
    },
  });
  const { acknowledged, repeated, onChain, lost, twice, pauses } = report;
  console.log(
    `${report.kills} kills and ${pauses} pauses in ${((performance.now() - started) / 1_000).toFixed(0)} s: ` +
      `${acknowledged} documents acknowledged, ${repeated} sent again, ${onChain} on the chain; ${lost.length} lost, ${twice.length} twice`,
  );
  for (const text of [...lost, ...twice].slice(0, 20)) console.log(text);
  process.exitCode = lost.length + twice.length === 0 && onChain === acknowledged ? 0 : 1;
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
