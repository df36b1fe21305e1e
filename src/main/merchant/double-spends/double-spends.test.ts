import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { txidOf } from '../../../chain/index.ts';
import { phraseText, type TrackedTransaction } from '../../../contract/index.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import type { NewNotice } from '../../ports/infrastructure/notices.ts';
import type { NodeRpc } from '../../ports/node.ts';
import type { Store } from '../../ports/store.ts';
import { openStore } from '../../store/store.ts';
import { anyTx } from '../callbacks/test-support/receiver-harness.ts';
import { DoubleSpends } from './double-spends.ts';
import { type DoubleSpendTables, doubleSpendMigrations } from './tables.ts';

const COIN = `${'22'.repeat(32)}_3`;
const ours = anyTx(1, COIN);
const txid = txidOf(ours);
const rival = anyTx(2, COIN);
const unrelated = anyTx(3, `${'33'.repeat(32)}_0`);

let store: Store<DoubleSpendTables>;
let notices: NewNotice[];
let lines: string[];
let transaction: TrackedTransaction;
/** Hex of what the node has, by txid. */
let onNode: Map<string, string>;
let doubleSpends: DoubleSpends;

beforeEach(async () => {
  [notices, lines, onNode] = [[], [], new Map()];
  store = await openStore<DoubleSpendTables>({ file: ':memory:', migrations: doubleSpendMigrations });
  transaction = { txid, state: 'submitted', doubleSpentBy: null } as TrackedTransaction;
  const node: NodeRpc = {
    call: async <T>(_: string, params: readonly unknown[] = []) => {
      const hex = onNode.get(String(params[0]));
      if (hex === undefined) throw new Error('No such mempool transaction.');
      return hex as T;
    },
  };
  doubleSpends = new DoubleSpends({
    network: 'sandbox',
    store,
    chainData: createNodeChainData(node),
    notices: { add: (notice) => void notices.push(notice) },
    tracked: async (id) => (id === txid ? { transaction, rawTx: ours } : undefined),
    record: async (_, sentence) => void lines.push(phraseText(sentence)),
    clock: { now: () => 1_000, after: () => () => undefined },
    logger: pino({ level: 'silent' }),
  });
});
afterEach(() => store.close());

describe('a transaction that spends the same coin', () => {
  it('is remembered once, with a line and a notice, and decoded beside ours', async () => {
    for (let times = 0; times < 3; times++)
      doubleSpends.heardOf(txid, [{ txid: txidOf(rival), rawTx: rival }], 'Alpha');
    const [view, ...others] = await doubleSpends.doubleSpends({ txid });
    expect(others).toEqual([]);
    expect(view).toMatchObject({
      txid: txidOf(rival),
      source: 'Alpha',
      outcome: 'open',
      shared: [{ outpoint: COIN, ourInput: 0, theirInput: 0, fromOurs: false }],
      ours: { inputCount: 1, outputs: [{ satoshis: 1_001, inBoth: false }] },
      theirs: { outputs: [{ satoshis: 1_002 }], rawTx: Buffer.from(rival).toString('hex') },
    });
    expect(lines).toHaveLength(1);
    const told = expect.stringContaining(`${txid}: ${txidOf(rival)}, says Alpha`);
    expect(notices).toMatchObject([{ level: 'warning', failure: { message: told } }]);
  });

  it('is left out if it spends no coin of ours, is another than was named, or is ours itself', async () => {
    doubleSpends.heardOf(txid, [{ txid: txidOf(unrelated), rawTx: unrelated }], 'Alpha');
    doubleSpends.heardOf(txid, [{ txid: txidOf(unrelated), rawTx: rival }], 'Alpha');
    doubleSpends.heardOf(txid, [{ txid: 'ab'.repeat(32), rawTx: Uint8Array.of(1, 2) }], 'Alpha');
    doubleSpends.heardOf(txid, [{ txid, rawTx: ours }], 'Alpha');
    doubleSpends.heardOf('cd'.repeat(32), [{ txid: txidOf(rival), rawTx: rival }], 'Alpha');
    expect(await doubleSpends.doubleSpends({ txid })).toEqual([]);
    expect(notices).toEqual([]);
  });

  it('is recorded without its bytes where nobody gave them, and gets them from the node or another miner later', async () => {
    const named = [{ txid: txidOf(rival), rawTx: null }];
    doubleSpends.heardOf(txid, named, 'Alpha');
    expect(await doubleSpends.doubleSpends({ txid })).toMatchObject([{ theirs: null, shared: [], source: 'Alpha' }]);
    onNode.set(txidOf(rival), Buffer.from(rival).toString('hex'));
    doubleSpends.heardOf(txid, named, 'Beta');
    expect(await doubleSpends.doubleSpends({ txid })).toMatchObject([{ theirs: { inputCount: 1 }, source: 'Alpha' }]);
    expect(notices).toHaveLength(1);
  });

  it('causes an error notice once a block holds it, and no notice where the miner refused ours from the start', async () => {
    transaction = { ...transaction, state: 'failed' };
    doubleSpends.heardOf(txid, [{ txid: txidOf(rival), rawTx: rival }], 'Alpha');
    await doubleSpends.idle();
    expect(notices).toEqual([]);
    transaction = { ...transaction, state: 'double-spent', doubleSpentBy: txidOf(rival) };
    doubleSpends.settled(transaction);
    expect(await doubleSpends.doubleSpends({ txid })).toMatchObject([{ outcome: 'theirs' }]);
    expect(notices).toMatchObject([{ level: 'error' }]);
    transaction = { ...transaction, state: 'proven', doubleSpentBy: null };
    expect(await doubleSpends.doubleSpends({ txid })).toMatchObject([{ outcome: 'ours' }]);
  });

  it('is recorded up to 20 times for one coin', async () => {
    for (let n = 10; n < 40; n++)
      doubleSpends.heardOf(txid, [{ txid: txidOf(anyTx(n, COIN)), rawTx: anyTx(n, COIN) }], 'Alpha');
    expect(await doubleSpends.doubleSpends({ txid })).toHaveLength(20);
  });

  it('is not found for a transaction that is not tracked', async () => {
    await expect(doubleSpends.doubleSpends({ txid: 'ab'.repeat(32) })).rejects.toMatchObject({ code: 'not-found' });
  });
});
