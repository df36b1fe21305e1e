import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { runCrashLoop } from '../../test-support/crash/writer-crash-loop.ts';
import { createDatabase } from '../test-support/postgres.ts';

/** A thousand, and pauses between them, in `npm run test:crash -- 1000 postgres`; 500 in `npm run test:crash -- 500 service`. */
const KILLS = 50;
const CLAIM_MS = 1_000;
const PAUSED_TRANSACTION_MS = 5_000;
const server = inject('postgres');

/** Two writers with one queue, one of which is killed or stands still, over and over. */
async function expectNothingLost(funding: { servicePays?: true }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-crash-'));
  try {
    const { kills, pauses, acknowledged, onChain, lost, twice, dead } = await runCrashLoop({
      kills: KILLS,
      folder,
      settings: { databaseUrl: await createDatabase(server ?? '') },
      writers: 2,
      ...funding,
      claimMs: CLAIM_MS,
      pausedTransactionMs: PAUSED_TRANSACTION_MS,
      pauseEvery: 5,
    });
    expect({ lost, twice, dead }).toEqual({ lost: [], twice: [], dead: [] });
    expect(kills).toBeGreaterThanOrEqual(KILLS);
    expect(pauses).toBeGreaterThan(0);
    expect(acknowledged).toBeGreaterThan(KILLS);
    expect(onChain).toBe(acknowledged);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('PostgreSQL', { tags: 'long' }, () => {
  it(
    `with two machines on one queue and the same wallet, for which a service pays, killed ${KILLS} times or standing still past its claims: no document is lost, written twice or given up`,
    () => expectNothingLost({ servicePays: true }),
    900_000,
  );

  it(
    `with two processes on one queue, one of which is killed ${KILLS} times or stands still past its claims, no document is lost or written twice`,
    () => expectNothingLost({}),
    900_000,
  );
});
