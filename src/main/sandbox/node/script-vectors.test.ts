import { afterAll, beforeAll, expect, it } from 'vitest';
import { flagsNamed, formatOutpoint, type ScriptRules, serializeTx, txidOf, type Utxo } from '../../../chain/index.ts';
import { type ScriptCase, scriptCases } from '../../../chain/test-support/script-vectors.ts';
import { createWorkerPool, type WorkerPool } from '../../workers/worker-pool.ts';
import { defaultLimits } from './consensus/consensus.ts';
import { RuleSets } from './consensus/rule-sets.ts';
import { ScriptCheck } from './consensus/script-check.ts';
import { Acceptance } from './mempool/acceptance.ts';
import { Mempool } from './mempool/mempool.ts';
import { NonFinalPool } from './mempool/nonfinal-pool.ts';
import { candidateOf } from './mempool/submission-reader.ts';
import { deleteMempool, deleteUtxos, insertRows, utxoRow } from './storage/chain-store.ts';
import { openTestNode, START, type TestNode } from './test-support/open-node.ts';
import type { NodeUtxo, SubmitResult } from './types.ts';

/** Gives every transaction the flags of its case, found by the output it spends, in place of those of its height. */
class OwnFlags extends RuleSets {
  readonly #flags: ReadonlyMap<string, number>;

  constructor(cases: readonly ScriptCase[]) {
    super(0);
    this.#flags = new Map(cases.map(({ spent, flags }) => [formatOutpoint(spent[0] as Utxo), flagsNamed(flags)]));
  }

  override waitingFor(_height: number, spent: readonly NodeUtxo[]): ScriptRules {
    return { flags: this.#flags.get(formatOutpoint(spent[0] as NodeUtxo & Utxo)) as number };
  }

  override inBlock(height: number, spent: readonly NodeUtxo[]): ScriptRules {
    return this.waitingFor(height, spent);
  }
}

let opened: TestNode;
let workers: WorkerPool;
beforeAll(async () => {
  opened = await openTestNode();
  workers = createWorkerPool({ size: 2 });
});
afterAll(async () => {
  await workers.close();
  await opened.remove();
});

/** Cases that spend different outputs, so that none stands in the way of another. */
function rounds(cases: readonly ScriptCase[]): ScriptCase[][] {
  const made: Map<string, ScriptCase>[] = [];
  for (const one of cases) {
    const outpoint = formatOutpoint(one.spent[0] as Utxo);
    const round = made.find((other) => !other.has(outpoint));
    if (round === undefined) made.push(new Map([[outpoint, one]]));
    else round.set(outpoint, one);
  }
  return made.map((round) => [...round.values()]);
}

/** Hands the transactions of cases to the acceptance of a node whose chain holds what they spend. */
async function submit(cases: readonly ScriptCase[]): Promise<SubmitResult[]> {
  const { store, node } = opened;
  const acceptance = new Acceptance({
    store,
    mempool: new Mempool(),
    nonFinal: new NonFinalPool(),
    scripts: new ScriptCheck((jobs) => workers.verifyBatch(jobs), new OwnFlags(cases)),
    limits: defaultLimits,
    frozen: node.frozen,
    now: () => START,
  });
  const coins = cases.flatMap(({ spent }) => spent);
  const outpoints = coins.map(formatOutpoint);
  await insertRows(
    store.db,
    'node_utxos',
    coins.map((coin, index) => utxoRow(outpoints[index] as string, { ...coin, height: 1, coinbase: false })),
  );
  const candidates = cases.map(({ tx }) => {
    const raw = serializeTx(tx);
    return candidateOf({ txid: txidOf(raw), tx, raw }, { checkFee: false });
  });
  const tip = node.chainTip();
  const prepared = await acceptance.prepare(candidates, tip);
  const { results } = await acceptance.accept(candidates, prepared, tip);
  await deleteUtxos(store.db, outpoints);
  await deleteMempool(
    store.db,
    candidates.map(({ txid }) => txid),
  );
  return results;
}

it('the node accepts and refuses all 1,483 script tests of the reference node, each under its own flags', async () => {
  const wrong: string[] = [];
  const refusals = new Set<string>();
  let count = 0;
  for (const cases of rounds(scriptCases())) {
    for (const [index, result] of (await submit(cases)).entries()) {
      const { passes, text } = cases[index] as ScriptCase;
      if (result.ok !== passes) wrong.push(text);
      if (!result.ok) refusals.add(`${result.code} ${result.reason.replace(/ \(.*/, '')}`);
      count++;
    }
  }
  expect(wrong).toEqual([]);
  expect(count).toBe(1_483);
  expect([...refusals]).toEqual(['16 mandatory-script-verify-flag-failed']);
});
