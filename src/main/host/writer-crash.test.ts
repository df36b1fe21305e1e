import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCrashLoop } from '../test-support/crash/writer-crash-loop.ts';

/** A thousand in `npm run test:crash`. */
const KILLS = process.env.PLANCHET_LONG ? 50 : 1;

it(`a data writer killed ${KILLS} times under load loses no acknowledged document and writes none twice`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-crash-'));
  try {
    const { kills, acknowledged, onChain, lost, twice } = await runCrashLoop({ kills: KILLS, folder });
    expect({ lost, twice }).toEqual({ lost: [], twice: [] });
    expect(kills).toBeGreaterThanOrEqual(KILLS);
    expect(acknowledged).toBeGreaterThan(KILLS);
    expect(onChain).toBe(acknowledged);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 900_000);
