import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transaction } from '@bsv/sdk';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Failure, Run } from '../../../contract/index.ts';
import { OWN_SCRIPT } from '../test-support/file-wallet.ts';
import { TestService } from '../test-support/test-service.ts';
import { addItem, openStudio } from '../test-support/test-studio.ts';

const CHILD = join(import.meta.dirname, '..', 'test-support', 'run-kill-child.ts');
/** A run of 200 items passes some 350 points. */
const ITEMS = process.env.PLANCHET_LONG ? 200 : 20;
const KILLS = process.env.PLANCHET_LONG ? 200 : 1;
const KILLS_A_RUN = Math.min(20, KILLS);
const MOST_POINTS = 24;
const MONEY = 1_000_000;

let service: TestService;
let dataDir: string;

beforeEach(async () => {
  service = new TestService();
  service.quota.monthlyMintLimit = 10_000;
  await service.start();
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-run-kill-'));
});

afterEach(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** @param points 0: it runs to its end */
function runChild(points: number): Promise<{ signal: string | null; out: string; err: string }> {
  return new Promise((resolve) => {
    let result = { out: '', err: '' };
    const child = execFile(process.execPath, [CHILD, dataDir, service.url, String(points)], (_, out, err) => {
      clearInterval(miner);
      result = { out, err };
      resolve({ signal: child.signalCode, ...result });
    });
    const miner = setInterval(() => service.chain.mempool.size > 0 && service.chain.mine(), 100);
  });
}

/** Random but the same in every run of the test. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

/**
 * Reads every block from the first, with the decoder of another library and rules of its own: who was paid what, each token's name, and what
 * stays unspent.
 */
function scanBlocks(): { names: string[]; fees: number; unspent: number; tokens: number } {
  const outputs = new Map<string, { satoshis: number; script: string }>();
  const names: string[] = [];
  let fees = 0;
  const own = Buffer.from(OWN_SCRIPT).toString('hex');
  for (const { txids } of service.chain.blocks) {
    for (const txid of txids) {
      const raw = service.chain.transactions.get(txid);
      if (raw === undefined) continue;
      const tx = Transaction.fromBinary([...raw]);
      let paid = 0;
      let isMoneyFromNothing = false;
      for (const { sourceTXID, sourceOutputIndex } of tx.inputs) {
        if (/^0+$/.test(sourceTXID as string)) {
          isMoneyFromNothing = true;
          continue;
        }
        const outpoint = `${sourceTXID}_${sourceOutputIndex}`;
        const output = outputs.get(outpoint);
        if (output === undefined) throw new Error(`${txid} spends ${outpoint}, which is spent or was never made`);
        paid += output.satoshis;
        outputs.delete(outpoint);
      }
      for (const [index, output] of tx.outputs.entries()) {
        const script = output.lockingScript.toHex();
        const satoshis = output.satoshis as number;
        outputs.set(`${txid}_${index}`, { satoshis, script });
        paid -= satoshis;
        const name = /046e616d65(..)((?:..)+)/.exec(script);
        if (script.includes('0063036f7264') && name !== null) {
          const length = Number.parseInt(name[1] as string, 16);
          names.push(Buffer.from((name[2] as string).slice(0, 2 * length), 'hex').toString());
        }
      }
      if (!isMoneyFromNothing) fees += paid;
    }
  }
  const left = [...outputs.values()];
  const ours = left.filter(({ script, satoshis }) => script === own && satoshis > 1);
  return {
    names,
    fees,
    unspent: ours.reduce((sum, { satoshis }) => sum + satoshis, 0),
    tokens: left.filter(({ satoshis }) => satoshis === 1).length,
  };
}

it.each(Array.from({ length: KILLS / KILLS_A_RUN }, (_, round) => round))(
  `run %i of ${ITEMS} items, killed ${KILLS_A_RUN} times, mints each once and accounts for each satoshi`,
  async (round) => {
    const before = await openStudio({ dataDir, url: service.url });
    before.wallet.add(service.chain.fund(OWN_SCRIPT, [MONEY]));
    const { uid } = await before.studio.projects.create({ name: 'Moons', type: 'collection' });
    const wanted: string[] = [];
    for (let i = 0; i < ITEMS; i++) {
      wanted.push(`Moon ${i}`);
      await addItem(before, uid, Buffer.from(`moon ${i % 50}`), `Moon ${i}`, 'moon.txt');
    }
    await before.close();

    const random = numbers(round + 1);
    for (let kill = 0; kill < KILLS_A_RUN; kill++) {
      const points = 1 + Math.floor(random.next().value * MOST_POINTS);
      const { signal, err } = await runChild(points);
      expect(signal, err).toBe('SIGKILL');
    }
    const ended = await runChild(0);
    expect(ended.signal, ended.err).toBeNull();
    const { run, failures } = JSON.parse(ended.out) as { run: Run; failures: Failure[] };
    expect(failures).toEqual([]);
    expect(run).toMatchObject({ state: 'done', items: ITEMS, minted: ITEMS, failed: 0 });

    const scan = scanBlocks();
    expect(scan.names.sort()).toEqual(wanted.sort());
    expect(scan.tokens).toBe(ITEMS);
    expect(scan.fees).toBe(run.fee);
    expect(scan.unspent).toBe(MONEY - scan.fees - ITEMS);
    expect(service.chain.doubleSpends).toEqual([]);
    const after = await openStudio({ dataDir, url: service.url });
    expect(after.wallet.reservations()).toEqual([]);
    expect(after.wallet.balance().spendable).toBe(scan.unspent);
    await after.close();
  },
  600_000,
);
