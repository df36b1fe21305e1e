/**
 * `npm run test:crash` kills the data writer a thousand times under load and compares what it acknowledged with the sandbox's blocks;
 * `npm run test:crash -- 50` does so fifty times; `npm run test:crash -- 50 postgres` with two writers that share a queue in PostgreSQL,
 * one of which also stands still for longer than its claims hold before every eighth kill; `npm run test:crash -- 50 service` likewise,
 * where a service pays and one of the two machines registered the API key. It goes in pieces of 150 kills, each with a network of its
 * own, complete in itself, and a seed: `npm run test:crash -- 150 postgres 7` is the piece with seed 7.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrashReport, runCrashLoop } from '../src/main/test-support/crash/writer-crash-loop.ts';
import { createDatabase, type PostgresServer, startPostgres } from '../src/main/writer/test-support/postgres.ts';

const PIECE = 150;
const kills = Number(process.argv[2] ?? 1_000);
const servicePays = process.argv[3] === 'service';
const shared = servicePays || process.argv[3] === 'postgres';
const firstSeed = Number(process.argv[shared ? 4 : 3] ?? 1);
const server = shared ? await startPostgres() : undefined;
const began = performance.now();
const pieces: CrashReport[] = [];
try {
  for (let left = kills, seed = firstSeed; left > 0; left -= PIECE, seed += 1) {
    const started = performance.now();
    const report = await piece(Math.min(PIECE, left), seed, server);
    console.log(`seed ${seed}: ${sentence([report], started)}`);
    pieces.push(report);
    if (!isSound(report)) process.exitCode = 1;
  }
  if (pieces.length > 1) console.log(sentence(pieces, began));
} finally {
  await server?.stop();
}

async function piece(most: number, seed: number, server: PostgresServer | undefined): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-crash-'));
  const sharing = async () => ({
    settings: { databaseUrl: await createDatabase(server?.url ?? '') },
    writers: 2,
    servicePays,
    claimMs: 1_000,
    pausedTransactionMs: 5_000,
    pauseEvery: 8,
  });
  let told = 0;
  try {
    return await runCrashLoop({
      kills: most,
      seed,
      folder,
      ...(server === undefined ? {} : await sharing()),
      progress: (so) => {
        if (so.kills < told + 25) return;
        told = so.kills;
        console.log(
          `${so.kills} kills, ${so.acknowledged} documents, ${so.lost.length} lost, ${so.twice.length} twice`,
        );
      },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isSound({ lost, twice, dead, onChain, acknowledged }: CrashReport): boolean {
  for (const text of [...lost, ...twice, ...dead].slice(0, 20)) console.log(text);
  return lost.length + twice.length + dead.length === 0 && onChain === acknowledged;
}

function sentence(reports: readonly CrashReport[], since: number): string {
  const sum = (of: (report: CrashReport) => number): number => reports.reduce((all, report) => all + of(report), 0);
  return (
    `${sum(({ kills }) => kills)} kills and ${sum(({ pauses }) => pauses)} pauses in ` +
    `${((performance.now() - since) / 1_000).toFixed(0)} s: ${sum(({ acknowledged }) => acknowledged)} documents ` +
    `acknowledged, ${sum(({ repeated }) => repeated)} sent again, ${sum(({ onChain }) => onChain)} on the chain; ` +
    `${sum(({ lost }) => lost.length)} lost, ${sum(({ twice }) => twice.length)} twice, ${sum(({ dead }) => dead.length)} dead`
  );
}
