import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { decodeAddress, fromHex, p2pkhScript } from '../../../chain/index.ts';
import { KeepingMiner } from '../test-support/keeping-miner.ts';
import { TestNode } from '../test-support/test-node.ts';

const CHILD = join(import.meta.dirname, '..', 'test-support', 'refusal-kill-child.ts');
const FOREIGN = p2pkhScript(decodeAddress('mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV').pubKeyHash);
/** A payment passes four points: reviewed, signed, kept by whoever refuses it, and refused. */
const KILLS = process.env.PLANCHET_LONG ? 40 : 2;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-refusal-kill-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** @param points 0: it goes to its end */
function pays(points: number, run: number): Promise<{ signal: string | null; code: number | null; err: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CHILD, folder, String(points), String(run)], (_, _out, err) =>
      resolve({ signal: child.signalCode, code: child.exitCode, err }),
    );
  });
}

it(`a refused payment, killed ${KILLS} times on its way to its replacement, can be mined once at most`, async () => {
  for (let kill = 0; kill < KILLS; kill++) {
    const { signal, err } = await pays(1 + ((kill * 3) % 8), kill);
    expect(signal, err).toBe('SIGKILL');
  }
  const { code, err } = await pays(0, KILLS);
  expect(code, err).toBe(0);
  const miner = new KeepingMiner(new TestNode());
  const kept = readFileSync(join(folder, 'kept.txt'), 'utf8').trim().split('\n');
  for (const hex of kept) await miner.submit(fromHex(hex)).catch(() => undefined);
  expect(miner.kept.size).toBeGreaterThan(3);
  expect(miner.paidTwice(FOREIGN)).toEqual([]);
}, 600_000);
